-- Tables of server/support-cases.

-- The report came from the browser that paid, or has the number of the payment's receipt. Reports without proof are one row for operators.
alter table support_cases add column has_proof boolean not null default true;
