-- What the audit log is filtered by: an action, a time.
create index audit_log_by_action on audit_log (action, seq desc);
create index audit_log_by_time on audit_log (at, seq);
