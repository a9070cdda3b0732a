"""The fixtures of klip.testing, by pytest."""

pytest_plugins = ["klip.testing"]


def test_one_for_each_test(klip_server):
    with klip_server.connect() as connection:
        assert connection.tables() == []
        connection.create_table("t", ["f"])


def test_another(klip_server):
    with klip_server.connect() as connection:
        assert connection.tables() == []


def test_one_for_all(klip_session_server):
    with klip_session_server.connect() as connection:
        connection.create_table("t", ["f"])


def test_the_same(klip_session_server):
    with klip_session_server.connect() as connection:
        assert connection.tables() == ["t"]
