"""Transactions over rows and tables."""

import unittest

from case import StoreTest

import klip


class Transactions(StoreTest):
    def setUp(self):
        super().setUp()
        self.accounts = self.connection.create_table("accounts", ["f"])
        self.log = self.connection.create_table("log", ["f"])
        self.accounts.put("alice", {"f:name": "A"})

    def test_commits_at_the_end_of_the_block(self):
        with self.connection.transaction() as transaction:
            accounts = transaction.table("accounts")
            accounts.increment("alice", {"f:cents": -500})
            accounts.put("bob", {"f:name": "B"})
            transaction.table("log").put("1", {"f:what": "moved"})
            self.assertEqual([key for key, _ in accounts.scan()], [b"alice", b"bob"])
            self.assertEqual(self.accounts.row("bob"), {})
        self.assertEqual(self.accounts.row("bob"), {b"f:name": b"B"})
        self.assertEqual(self.log.row("1"), {b"f:what": b"moved"})

    def test_rolls_back_on_an_exception(self):
        with self.assertRaises(ZeroDivisionError):
            with self.connection.transaction() as transaction:
                transaction.table("accounts").put("bob", {"f:name": "B"})
                1 / 0
        self.assertEqual(self.accounts.row("bob"), {})

    def test_savepoints(self):
        with self.connection.transaction() as transaction:
            accounts = transaction.table("accounts")
            accounts.put("bob", {"f:name": "B"})
            savepoint = transaction.savepoint()
            accounts.delete("alice")
            transaction.rollback_to(savepoint)
            with self.assertRaises(klip.InvalidArgumentError):
                transaction.rollback_to(77)
        self.assertEqual([key for key, _ in self.accounts.scan()], [b"alice", b"bob"])

    def test_the_first_commit_wins(self):
        first = self.connection.transaction()
        first.table("accounts").put("alice", {"f:name": "1"})
        self.accounts.put("alice", {"f:name": "2"})
        with self.assertRaises(klip.TransactionConflictError):
            first.commit()
        self.assertEqual(self.accounts.row("alice"), {b"f:name": b"2"})
        serializable = self.connection.transaction(serializable=True)
        serializable.table("accounts").row("alice")
        serializable.table("log").put("2", {"f:what": "read"})
        self.accounts.put("alice", {"f:name": "3"})
        with self.assertRaises(klip.TransactionConflictError):
            serializable.commit()

    def test_ends_by_hand_and_with_the_connection(self):
        with self.connection.transaction() as transaction:
            table = transaction.table("accounts")
            table.put("bob", {"f:name": "B"})
            transaction.rollback()
        self.assertEqual(self.accounts.row("bob"), {})
        with self.assertRaises(klip.Error):
            table.row("bob")
        with self.assertRaises(klip.TableNotFoundError):
            self.connection.transaction().table("none")
        left = self.connection.transaction()
        self.connection.close()
        with self.assertRaises(klip.InvalidArgumentError):
            left.commit()


if __name__ == "__main__":
    unittest.main()
