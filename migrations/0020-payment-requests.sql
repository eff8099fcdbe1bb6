-- Tables of server/collect/payment-requests.

-- What a payment request has beside its page: title, amount, expiry and the order number are columns of the page, and its status follows from
-- the page's payments.
create table payment_requests (
  home smallint not null,
  -- The id of its page, too.
  id uuid not null,
  -- Fills the form of the payer.
  customer_name text,
  customer_email text,
  customer_phone text,
  -- The page of a cancelled request is closed.
  cancelled_at timestamptz(3),
  primary key (home, id),
  constraint payment_requests_page foreign key (home, id) references payment_pages (home, id)
);
-- Finds the requests that name a person.
create index payment_requests_by_phone on payment_requests (customer_phone) where customer_phone is not null;
