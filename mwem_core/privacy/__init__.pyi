from . import mechanisms as mechanisms
from .accountant import Accountant as Accountant, SelectionName as SelectionName
from .amounts import (
    CAP_DELTA as CAP_DELTA,
    Amount as Amount,
    Cap as Cap,
    Spent as Spent,
    at_least as at_least,
    at_most as at_most,
    decimal as decimal,
)
from .budget import PRECISION as PRECISION, ZCDP as ZCDP, Budget as Budget, Exact as Exact, Pure as Pure
from .conversion import cap as cap, epsilon_of as epsilon_of, rho_of as rho_of
from .exponential_mechanism import ExponentialMechanism as ExponentialMechanism
from .grid import EXACT as EXACT, STEP as STEP, on_grid as on_grid
from .guarantee import (
    MIN_EPSILON as MIN_EPSILON,
    AnyGuarantee as AnyGuarantee,
    Guarantee as Guarantee,
    TrivialGuarantee as TrivialGuarantee,
)
from .laws import (
    Real as Real,
    exponential_law as exponential_law,
    gaussian_scale as gaussian_scale,
    laplace_scale as laplace_scale,
    permute_and_flip_law as permute_and_flip_law,
    selection_weights as selection_weights,
)
from .ledger import Ledger as Ledger
from .mechanisms import exponential as exponential, laplace as laplace, permute_and_flip as permute_and_flip
from .noise import NoiseSource as NoiseSource, Seeded as Seeded, Witness as Witness
from .randomised_response import RandomisedResponse as RandomisedResponse
from .releasing import Releasing as Releasing
from .unit import MAX_RECORDS as MAX_RECORDS, RECORD as RECORD, Unit as Unit
