from .duckdb_files import count_file as count_file, is_large as is_large, is_pattern as is_pattern
from .ibis_tables import count_table as count_table, open_table as open_table
from .sql_table import IN_MEMORY as IN_MEMORY, DatabaseTable as DatabaseTable
