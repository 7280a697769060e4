"""The work of a co-simulation step is bounded by the allowed substeps, and reaching the bound is
reported once."""

import pytest

from convergence import has_memory, random_record, run
from evaluation_counts import counting_library, steps
from operating_points import some_of

MOST = 20_000  # evaluations of the law, its derivatives or its indicators
STEPS = 60


@pytest.mark.shipped  # compiles the sources itself
@pytest.mark.fmus(lambda d: bool(d.inputs))
def test_no_step_of_legal_parameters_takes_more_than_its_bound(fmu):
    """By default, with parameters up to six decades apart and steps of 0.01 ms to 10 s;
    scripts/search_evaluations.py searches longer."""
    most = 0
    for evaluations, messages, case in steps(fmu, counting_library(fmu), some_of(STEPS)):
        assert evaluations <= MOST, case
        assert sum("maximumSubsteps" in text for text in messages) <= 1, messages
        most = max(most, evaluations)
    assert most > 0


# Evaluations of RECORDS random records at each of TOLERANCES. A change that adds more than 3 % for
# a model fails the test; one that needs fewer should write the lower numbers here.
RECORDS = 25
TOLERANCES = (1e-6, 1e-9)
WORK = {
    "AdamsStickSlip": (21634, 23542),
    "Benson": (9684, 9684),
    "BlimanSorine": (41373, 182296),
    "ContactPoint": (64564, 446526),
    "Coulomb": (9200, 9200),
    "Dahl": (47699, 187351),
    "ElastoPlastic": (43264, 198417),
    "GKF": (10702, 10702),
    "GeneralizedMaxwellSlip": (138564, 360924),
    "Gonthier": (17195, 81240),
    "ImplicitBristle": (490348, 840424),
    "Karnopp": (11288, 11288),
    "Leuven": (125871, 505520),
    "LuGre": (25122, 131147),
    "LuGreModified": (15097, 68642),
    "LuGreNormalized": (12167, 58948),
    "LuGreVelocityDamping": (18480, 96890),
    "ProjectedGKF": (8992, 8992),
    "ProjectedLuGre": (40721, 208336),
    "QuasiStaticLuGre": (9092, 9092),
    "RecurDynStickSlip": (27036, 30374),
    "SecondOrderBristle": (95933, 440001),
    "SimpackStickSlip": (39392, 40798),
    "StickSlip": (7820, 10002),
}


@pytest.mark.endurance
@pytest.mark.fmus(lambda d: has_memory(d))
def test_no_model_needs_more_evaluations_than_listed(fmu):
    library = counting_library(fmu)
    records = [random_record(fmu, f"work {number}") for number in range(RECORDS)]
    for tolerance, usual in zip(TOLERANCES, WORK[fmu.name]):
        library.evaluations.value = 0
        for record in records:
            run(fmu, record, tolerance, library=library)
        assert library.evaluations.value <= 1.03 * usual, tolerance
