from .bundled import take_bundled as take_bundled
from .release import add_options as add_options
from .settings import change_settings as change_settings
from .streams import write_in_any_encoding as write_in_any_encoding
