from .console import write_in_any_encoding as write_in_any_encoding
from .release_command import add_release_options as add_release_options
from .run_settings import change_settings as change_settings
from .sample_tables import take_sample_table as take_sample_table
