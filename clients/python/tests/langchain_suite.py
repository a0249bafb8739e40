"""The suite of langchain-tests. `new_store` comes from suites.py."""

import pytest
from langchain_tests.integration_tests.base_store import BaseStoreAsyncTests, BaseStoreSyncTests


class Fixtures:
    @pytest.fixture
    def kv_store(self):
        return new_store()  # noqa: F821

    @pytest.fixture
    def three_values(self):
        return "one", {"two": [2, None]}, 3.5


class TestSync(Fixtures, BaseStoreSyncTests):
    pass


class TestAsync(Fixtures, BaseStoreAsyncTests):
    @pytest.fixture
    async def kv_store(self):
        return new_store()  # noqa: F821
