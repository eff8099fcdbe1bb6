/**
 * The only declared variant of `clock_now()`: the database's clock moved forward by a setting, for a run that simulates a year in
 * minutes (`npm run year`). That run installs it in a separate database; the service never does. `verify` accepts it outside
 * production only.
 */

/** The setting that the variant reads: `<moment>/<seconds before it>/<seconds from it on>`, with the moment in seconds since 1970 by `now()`. */
export const simulatedClockSetting = 'malipo.simulated_clock'

/**
 * The statement that installs it. A transaction that begins before the moment of a move keeps the old shift until its end, so
 * `clock_now()` stays one value within a transaction, as `now()` does. Written without `from`, so that PostgreSQL inlines it. A
 * session without the setting gets an error instead of a wrong time.
 */
export const simulatedClock = `create or replace function clock_now() returns timestamptz language sql stable as $$
  select now() + make_interval(secs => split_part(current_setting('${simulatedClockSetting}'), '/',
    case when extract(epoch from now()) < split_part(current_setting('${simulatedClockSetting}'), '/', 1)::float8 then 2 else 3 end
  )::float8) $$`
