"""The families of scripts/sweep, in the order of its report: importing the modules fills the table."""
import sweep_products  # noqa: F401, isort: skip
import sweep_elements  # noqa: F401, isort: skip
import sweep_blocks  # noqa: F401, isort: skip
from sweep_workload import ABOUT, FAMILIES, Workload, workload  # noqa: F401
