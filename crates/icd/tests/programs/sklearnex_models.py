#!/usr/bin/env python3
"""Estimators of scikit-learn-intelex on the driver's device, compared with scikit-learn on the CPU.

    sklearnex_models.py [--only TEXT]

Needs the packages scikit-learn-intelex-gpu, dpctl and dpnp from PyPI, and an OpenCL loader that finds the driver (OCL_ICD_VENDORS;
ONEAPI_DEVICE_SELECTOR=opencl:gpu). These are the estimators of the package's GPU examples, on data made here. Prints a line for each: the
largest difference from scikit-learn, or for labels the share that differs.
"""
import argparse, os, sys, traceback

os.environ.setdefault("SCIPY_ARRAY_API", "1")
import numpy as np
import sklearnex
from sklearn import cluster, covariance, decomposition, ensemble, linear_model, neighbors, svm
from sklearnex import basic_statistics as xbasic, cluster as xcluster, covariance as xcovariance, decomposition as xdecomposition
from sklearnex import ensemble as xensemble, linear_model as xlinear, neighbors as xneighbors, svm as xsvm
from sklearnex.preview import covariance as pcovariance, decomposition as pdecomposition

RANDOM = np.random.default_rng(3)
CENTERS = RANDOM.standard_normal((4, 6)) * 6
LABELS = RANDOM.integers(0, 4, 240)
X = (CENTERS[LABELS] + RANDOM.standard_normal((240, 6))).astype(np.float32)
BINARY = (LABELS % 2).astype(np.int64)
Y = (X @ RANDOM.standard_normal(6) + 0.1 * RANDOM.standard_normal(240)).astype(np.float32)


def numbers(got, expected):
    got, expected = np.asarray(got, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    return float(np.abs(got - expected).max() / max(1.0, np.abs(expected).max())), 2e-3


def share(got, expected):
    return float((np.asarray(got) != np.asarray(expected)).mean()), 0.02


def signless(rows):
    """Rows with their largest element positive: the sign of a component is free."""
    rows = np.asarray(rows, dtype=np.float64)
    at = np.abs(rows).argmax(1)
    return rows * np.sign(rows[np.arange(len(rows)), at])[:, None]


def same_parts(got, expected):
    """The share of neighboring pairs that one clustering joins and the other does not."""
    got, expected = np.asarray(got), np.asarray(expected)
    return float(((got[1:] == got[:-1]) != (expected[1:] == expected[:-1])).mean()), 0.02


def basic():
    found = xbasic.BasicStatistics(result_options=["mean", "max", "sum"]).fit(X)
    return numbers([found.mean_, found.max_, found.sum_ / 240], [X.mean(0), X.max(0), X.sum(0) / 240])


def incremental_basic():
    found = xbasic.IncrementalBasicStatistics(result_options=["mean", "variance"])
    for part in np.array_split(X, 3):
        found.partial_fit(part)
    return numbers([found.mean_, found.variance_], [X.mean(0), X.var(0, ddof=1)])


def incremental(made, expected, value, *more):
    def run():
        model = made()
        for part in zip(*(np.array_split(data, 3) for data in (X, *more))):
            model.partial_fit(*part)
        return numbers(value(model), value(expected().fit(X, *more)))
    return run


def fitted(made, expected, value, judge, *more):
    return lambda: judge(value(made().fit(X, *more)), value(expected().fit(X, *more)))


def predicted(made, expected, target, judge):
    return fitted(made, expected, lambda model: model.predict(X), judge, target)


def accuracy(made, target):
    """Random forests have their own random numbers: they must only be as good."""
    return lambda: (1.0 - float(made().fit(X, target).score(X, target)), 0.1)


MODELS = {
    "BasicStatistics": basic,
    "IncrementalBasicStatistics": incremental_basic,
    "EmpiricalCovariance": fitted(pcovariance.EmpiricalCovariance, covariance.EmpiricalCovariance, lambda m: m.covariance_, numbers),
    "IncrementalEmpiricalCovariance":
        incremental(xcovariance.IncrementalEmpiricalCovariance, covariance.EmpiricalCovariance, lambda m: m.covariance_),
    "KMeans": fitted(lambda: xcluster.KMeans(4, init=X[:4], n_init=1), lambda: cluster.KMeans(4, init=X[:4], n_init=1),
                     lambda m: m.cluster_centers_, numbers),
    "KMeans, k-means++": fitted(lambda: xcluster.KMeans(4, n_init=5, random_state=1), lambda: cluster.KMeans(4, n_init=5, random_state=1),
                                lambda m: m.labels_, same_parts),
    "DBSCAN": fitted(lambda: xcluster.DBSCAN(eps=2.5), lambda: cluster.DBSCAN(eps=2.5), lambda m: m.labels_, same_parts),
    "PCA": fitted(lambda: xdecomposition.PCA(3, svd_solver="full"), lambda: decomposition.PCA(3, svd_solver="full"),
                  lambda m: signless(m.components_), numbers),
    "PCA, covariance": fitted(lambda: xdecomposition.PCA(3, svd_solver="covariance_eigh"),
                              lambda: decomposition.PCA(3, svd_solver="covariance_eigh"), lambda m: m.explained_variance_, numbers),
    "IncrementalPCA": incremental(pdecomposition.IncrementalPCA, decomposition.PCA, lambda m: m.explained_variance_),
    "LinearRegression": fitted(xlinear.LinearRegression, linear_model.LinearRegression, lambda m: m.coef_, numbers, Y),
    "IncrementalLinearRegression": incremental(xlinear.IncrementalLinearRegression, linear_model.LinearRegression, lambda m: m.coef_, Y),
    "Ridge": fitted(xlinear.Ridge, linear_model.Ridge, lambda m: m.coef_, numbers, Y),
    "LogisticRegression": predicted(lambda: xlinear.LogisticRegression(solver="newton-cg"),
                                    lambda: linear_model.LogisticRegression(solver="newton-cg"), BINARY, share),
    "KNeighborsClassifier": predicted(lambda: xneighbors.KNeighborsClassifier(algorithm="brute"),
                                      lambda: neighbors.KNeighborsClassifier(algorithm="brute"), LABELS, share),
    "KNeighborsRegressor": predicted(lambda: xneighbors.KNeighborsRegressor(algorithm="brute"),
                                     lambda: neighbors.KNeighborsRegressor(algorithm="brute"), Y, numbers),
    "NearestNeighbors": fitted(lambda: xneighbors.NearestNeighbors(n_neighbors=4, algorithm="brute"),
                               lambda: neighbors.NearestNeighbors(n_neighbors=4, algorithm="brute"),
                               lambda m: m.kneighbors(X[:40])[0][:, 1:], numbers),
    "SVC": predicted(lambda: xsvm.SVC(), lambda: svm.SVC(), BINARY, share),
    "RandomForestClassifier": accuracy(lambda: xensemble.RandomForestClassifier(8, max_depth=5, random_state=1), LABELS),
    "RandomForestRegressor": accuracy(lambda: xensemble.RandomForestRegressor(8, max_depth=6, random_state=1), Y),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    failed = passed = 0
    for name, model in MODELS.items():
        if options.only not in name:
            continue
        try:
            # Without a fallback, an estimator that does not run on the device is an error.
            with sklearnex.config_context(target_offload="gpu", allow_fallback_to_host=False, allow_sklearn_after_onedal=False):
                difference, most = model()
            wrong = not difference <= most
            print(f"{name}: {difference:.2g}{' WRONG' if wrong else ''}", flush=True)
        except Exception as error:
            wrong = True
            print(f"{name}: FAILED {type(error).__name__}: {' '.join(str(error).split())[:200]}", flush=True)
            if options.only:
                traceback.print_exc()
        failed, passed = failed + wrong, passed + (not wrong)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
