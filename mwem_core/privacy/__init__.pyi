from . import laws as laws, mechanisms as mechanisms
from .accountant import Accountant as Accountant, Ledger as Ledger, SelectionName as SelectionName
from .amounts import (
    CAP_DELTA as CAP_DELTA,
    Amount as Amount,
    Cap as Cap,
    TotalCost as TotalCost,
    at_least as at_least,
    at_most as at_most,
    cap as cap,
    decimal as decimal,
    epsilon_of as epsilon_of,
    rho_of as rho_of,
)
from .budget import PRECISION as PRECISION, ZCDP as ZCDP, Budget as Budget, Exact as Exact, Pure as Pure
from .grid import EXACT as EXACT, STEP as STEP, on_grid as on_grid
from .guarantee import (
    MAX_RECORDS as MAX_RECORDS,
    MIN_EPSILON as MIN_EPSILON,
    RECORD as RECORD,
    AnyGuarantee as AnyGuarantee,
    Guarantee as Guarantee,
    TrivialGuarantee as TrivialGuarantee,
    Unit as Unit,
)
from .mechanisms import (
    exponential as exponential,
    laplace as laplace,
)
from .noise import NoiseSource as NoiseSource, Real as Real, Seeded as Seeded, Witness as Witness
from .opendp_noise import ReleaseNoise as ReleaseNoise
from .randomised_response import RandomisedResponse as RandomisedResponse
