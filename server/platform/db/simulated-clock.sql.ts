/**
 * The one declared variant of `clock_now()`: the database's clock moved forward by a setting, for a run that lives a year in minutes
 * (`npm run year`). Installed by that run in a database of its own, never by the service. `verify` accepts it outside production only.
 */

/** The setting that the variant reads: `<moment>/<seconds before it>/<seconds from it on>`, the moment in seconds since 1970 by `now()`. */
export const simulatedClockSetting = 'malipo.simulated_clock'

/**
 * The statement that installs it. A transaction that begins before the moment of a move keeps the shift from before for as long as it
 * lasts, so `clock_now()` stays one value within a transaction, as `now()` does. Written without `from`, so that PostgreSQL inlines it.
 * A session without the setting gets an error instead of a wrong time.
 */
export const simulatedClock = `create or replace function clock_now() returns timestamptz language sql stable as $$
  select now() + make_interval(secs => split_part(current_setting('${simulatedClockSetting}'), '/',
    case when extract(epoch from now()) < split_part(current_setting('${simulatedClockSetting}'), '/', 1)::float8 then 2 else 3 end
  )::float8) $$`
