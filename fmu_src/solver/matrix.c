/* Small linear systems, of MATRIX_ROOM rows at most. */
#include <math.h>

/* Factorizes a small full matrix in place (LU with row pivoting). With a pivot of zero the result
 * is not finite. Returns whether the determinant is negative. */
static inline int factorize(int n, double A[MATRIX_ROOM][MATRIX_ROOM], int *row) {
    int negative = 0;
    for (int i = 0; i < n; i++) row[i] = i;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
        if (pivot != k) {
            const int saved_row = row[k];
            row[k] = row[pivot];
            row[pivot] = saved_row;
            negative = !negative;
            for (int j = 0; j < n; j++) {
                const double saved = A[k][j];
                A[k][j] = A[pivot][j];
                A[pivot][j] = saved;
            }
        }
        if (A[k][k] < 0) negative = !negative;
        for (int i = k + 1; i < n; i++) {
            A[i][k] /= A[k][k];
            for (int j = k + 1; j < n; j++) A[i][j] -= A[i][k] * A[k][j];
        }
    }
    return negative;
}

static inline void back_substitute(int n, double A[MATRIX_ROOM][MATRIX_ROOM], const int *row,
                                   const double *rhs, double *result) {
    double b[MATRIX_ROOM];
    for (int i = 0; i < n; i++) b[i] = rhs[row[i]];
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) b[i] -= A[i][j] * b[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= A[i][j] * b[j];
        b[i] /= A[i][i];
    }
    for (int i = 0; i < n; i++) result[i] = b[i];
}
