-- Whoever takes a delivery writes the end of its lease into a column of its own. Until now it went into next_attempt_at, which two indexes
-- hold, so that each claim moved the row in all of them. A page keeps room for the claimed row, which then needs no new entry in any index.
-- A worker of the version before this one does not look at the column: beside this one it may send again what is on its way, which receivers
-- know by the event's id.
set local lock_timeout = '2s';
alter table webhook_deliveries add column lease_until timestamptz(3);
alter table webhook_deliveries set (fillfactor = 70);
