"""What the lessons share: their list, their frame, drawings that move without the server, predictions and exercises."""
