from .ibis_tables import count_table as count_table, open_table as open_table
from .large_files import count_file as count_file, is_large as is_large, is_pattern as is_pattern
from .table_parts import IN_MEMORY as IN_MEMORY, RecordsOnDisk as RecordsOnDisk
