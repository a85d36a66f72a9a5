"""One Spark cluster, and one classic session on it, for all tests of this folder."""

import importlib.util
import shutil

import pytest

from maxcover_scale.batch import spark as mcs
from standalone import SHORT_LIVED, Standalone

if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
    collect_ignore_glob = ["test_*.py"]  # CI has both


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("JDK_JAVA_OPTIONS", SHORT_LIVED)
        running = Standalone(tmp_path_factory.mktemp("cluster"))
        patch.setenv("PYSPARK_PYTHON", running.environment["PYSPARK_PYTHON"])
        yield running
        running.stop()


@pytest.fixture(scope="session")
def spark(cluster):
    session = mcs.session(
        cluster.address,
        **{
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.executor.memory": "700m",
            "spark.driver.host": "127.0.0.1",
            "spark.network.timeout": "60s",
            "spark.python.daemon.module": "spark_daemon",
            "spark.sql.shuffle.partitions": "2",
            # what users have switched on, and what nothing here may depend on
            "spark.speculation": "true",
            "spark.dynamicAllocation.enabled": "true",
            "spark.dynamicAllocation.shuffleTracking.enabled": "true",
            "spark.dynamicAllocation.initialExecutors": "2",
            "spark.dynamicAllocation.maxExecutors": "2",
        },
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
