"""How values read: numbers and badges."""
