"""The work of a co-simulation step is bounded by the substeps that are allowed, and what is given
up for that is told once."""

import pytest

from convergence import has_memory, random_record, run
from evaluation_counts import counting_library, steps
from operating_points import some_of

MOST = 20_000  # evaluations of the law, its derivatives or its indicators
STEPS = 60


@pytest.mark.shipped  # compiles the sources itself
@pytest.mark.fmus(lambda d: bool(d.inputs))
def test_no_step_of_legal_parameters_takes_more_than_its_bound(fmu):
    """By default, with parameters up to six decades apart and steps of 0.01 ms to 10 s; see
    scripts/search_evaluations.py, which searches for longer."""
    most = 0
    for evaluations, told, case in steps(fmu, counting_library(fmu), some_of(STEPS)):
        assert evaluations <= MOST, case
        assert sum("maximumSubsteps" in text for text in told) <= 1, told
        most = max(most, evaluations)
    assert most > 0


# Evaluations of RECORDS random records at each of TOLERANCES. A change that makes a model dearer by
# more than 3 % says so here, one that makes it cheaper writes the lower numbers; below, numbers may
# be as they like.
RECORDS = 25
TOLERANCES = (1e-6, 1e-9)
WORK = {
    "AdamsStickSlip": (21634, 23542),
    "Benson": (9684, 9684),
    "BlimanSorine": (40311, 128046),
    "ContactPoint": (62760, 433952),
    "Coulomb": (9200, 9200),
    "Dahl": (47508, 186332),
    "ElastoPlastic": (42211, 191882),
    "GKF": (10702, 10702),
    "GeneralizedMaxwellSlip": (115342, 319498),
    "Gonthier": (19494, 84829),
    "ImplicitBristle": (441240, 798850),
    "Karnopp": (11288, 11288),
    "Leuven": (123166, 487828),
    "LuGre": (30324, 132820),
    "LuGreModified": (17253, 70936),
    "LuGreNormalized": (12919, 61799),
    "LuGreVelocityDamping": (19317, 98095),
    "ProjectedGKF": (8992, 8992),
    "ProjectedLuGre": (40734, 208194),
    "QuasiStaticLuGre": (9092, 9092),
    "RecurDynStickSlip": (27036, 30374),
    "SecondOrderBristle": (91778, 425963),
    "SimpackStickSlip": (33098, 36192),
    "StickSlip": (7820, 10002),
}


@pytest.mark.fmus(lambda d: has_memory(d))
def test_no_model_is_dearer_than_it_was(fmu):
    library = counting_library(fmu)
    records = [random_record(fmu, f"work {number}") for number in range(RECORDS)]
    for tolerance, usual in zip(TOLERANCES, WORK[fmu.name]):
        library.evaluations.value = 0
        for record in records:
            run(fmu, record, tolerance, library=library)
        assert library.evaluations.value <= 1.03 * usual, tolerance
