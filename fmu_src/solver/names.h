/* The names in the files of the solver that are compiled once for each ODE: plain for the law
 * alone, and once more with a prefix for law and body together; rig/integrator.c and
 * runner/sensitivities.c compile them for a host of elements (host_stepper.c), whose size is known
 * at run time. An ODE is a type States of N_STATES doubles, IS_LINEAR, BY_INPUTS, SOLUTIONS, and
 * the functions rates_at, rate_derivatives, point_at, resolved_at, indicators_at, settle_at and
 * trial_step; a Motion, keeps_contact, shortest_growing and time_of_reversal are the same for both.
 * Everything else is written once over these, and the compiler sees constant sizes and no call
 * through a pointer. */
#ifndef BRISTLE_NAMES_H
#define BRISTLE_NAMES_H

#define ODE(name) name

#define States ODE(States)
#define N_STATES ODE(N_STATES)
#define STATE_ROOM ODE(STATE_ROOM)
#define IS_LINEAR ODE(IS_LINEAR)
#define BY_INPUTS ODE(BY_INPUTS)
#define no_states ODE(no_states)
#define state_values ODE(state_values)
#define state_places ODE(state_places)
#define law_part ODE(law_part)
#define inputs_of ODE(inputs_of)
#define put_rates ODE(put_rates)
#define rates_at ODE(rates_at)
#define rate_derivatives ODE(rate_derivatives)
#define full_point_at ODE(full_point_at)
#define point_at ODE(point_at)
#define indicators_at ODE(indicators_at)
#define settle_at ODE(settle_at)
#define trial_step ODE(trial_step)
#define cubic_between ODE(cubic_between)
#define cubic_through ODE(cubic_through)
#define dense_output ODE(dense_output)
#define rate_inside ODE(rate_inside)
#define resolved_at ODE(resolved_at)
#define allowed_errors ODE(allowed_errors)
#define scaled_error ODE(scaled_error)
#define Point ODE(Point)
#define Cubic ODE(Cubic)
#define loses_stiffness ODE(loses_stiffness)
#define starts_or_ends_at_rest ODE(starts_or_ends_at_rest)
#define defect_at ODE(defect_at)
#define misses_limit ODE(misses_limit)
#define RODAS_STAGES ODE(RODAS_STAGES)
#define RODAS_AT_START ODE(RODAS_AT_START)
#define rodas_gamma ODE(rodas_gamma)
#define rodas_time ODE(rodas_time)
#define rodas_time_slope ODE(rodas_time_slope)
#define rodas_a ODE(rodas_a)
#define rodas_c ODE(rodas_c)
#define factorize_shifted ODE(factorize_shifted)
#define solve_shifted ODE(solve_shifted)
#define stays_linear ODE(stays_linear)
#define rosenbrock_step ODE(rosenbrock_step)
#define can_change ODE(can_change)
#define probe ODE(probe)
#define indicator_changed ODE(indicator_changed)
#define find_double_crossing ODE(find_double_crossing)
#define find_early_change ODE(find_early_change)
#define stays_far_from_zero ODE(stays_far_from_zero)
#define find_first_change ODE(find_first_change)
#define probe_after ODE(probe_after)
#define locate_change ODE(locate_change)
#define narrow_by_inputs ODE(narrow_by_inputs)
#define step_across_change ODE(step_across_change)
#define EVALUATIONS_OF_A_TRIAL ODE(EVALUATIONS_OF_A_TRIAL)
#define SOLUTIONS ODE(SOLUTIONS)
#define relax ODE(relax)
#define advance_adaptively ODE(advance_adaptively)

#endif
