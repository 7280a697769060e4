/* Directional and adjoint derivatives of arrays. The time may be among the knowns: nothing depends
 * on it. */
#include <string.h>

static Status list_both(Instance *c, const Reference unknowns[], size_t nUnknowns,
                        size_t unknown_values, Reference unknown_elements[],
                        const Reference knowns[], size_t nKnowns, size_t known_values,
                        Reference known_elements[], const char *function) {
    if (!c) return STATUS_ERROR;
    if ((nUnknowns > 0 && !unknowns) || (nKnowns > 0 && !knowns)) return need(c, NULL, function);
    const Status status =
        list_reals(c, unknowns, nUnknowns, unknown_values, unknown_elements, function);
    if (status != STATUS_OK) return status;
    return list_float64(c, knowns, nKnowns, known_values, TIME_REFERENCE + 1, known_elements,
                        function);
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t nUnknowns, const fmi3ValueReference knowns[],
                                        size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                        fmi3Float64 sensitivity[], size_t nSensitivity) {
    const char *function = "fmi3GetDirectionalDerivative";
    Reference of_unknowns[N_REALS], of_knowns[N_REALS + 1];
    double of_seed[N_REALS + 1];
    size_t count = 0;
    Status status = list_both(of(instance), unknowns, nUnknowns, nSensitivity, of_unknowns, knowns,
                              nKnowns, nSeed, of_knowns, function);
    if (status == STATUS_OK && nSeed > 0) status = need(of(instance), seed, function);
    if (status != STATUS_OK) return as_fmi3(status);
    for (size_t i = 0; i < nSeed; i++) {
        if (of_knowns[i] == TIME_REFERENCE) continue;
        of_knowns[count] = of_knowns[i];
        of_seed[count++] = seed[i];
    }
    return as_fmi3(directional_derivative(of(instance), of_unknowns, nSensitivity, of_knowns, count,
                                          of_seed, sensitivity, function));
}

/* Multiplies the seed with the columns of the Jacobian, each of which is exact. */
fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                    size_t nUnknowns, const fmi3ValueReference knowns[],
                                    size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                    fmi3Float64 sensitivity[], size_t nSensitivity) {
    const char *function = "fmi3GetAdjointDerivative";
    Reference of_unknowns[N_REALS], of_knowns[N_REALS + 1];
    double column[N_REALS];
    const double along = 1;
    Status status = list_both(of(instance), unknowns, nUnknowns, nSeed, of_unknowns, knowns,
                              nKnowns, nSensitivity, of_knowns, function);
    if (status == STATUS_OK && ((nSeed > 0 && !seed) || (nSensitivity > 0 && !sensitivity)))
        status = need(of(instance), NULL, function);
    for (size_t j = 0; j < nSensitivity && status == STATUS_OK; j++) {
        status = directional_derivative(of(instance), of_unknowns, nSeed, of_knowns + j,
                                        of_knowns[j] != TIME_REFERENCE, &along, column, function);
        double sum = 0;
        for (size_t i = 0; i < nSeed && status == STATUS_OK; i++) sum += seed[i] * column[i];
        sensitivity[j] = sum;
    }
    if (status == STATUS_OK && !all_finite(sensitivity, nSensitivity))
        status = refuse_result(of(instance), "an adjoint derivative is not finite");
    return as_fmi3(status);
}
