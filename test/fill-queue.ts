/** Fills the queue of reviews with copies of one waiting person. */
import type { TestApp } from './app.ts'

/** Adds `count` waiting people, copies of the one with this e-mail address, each older than the one before by `everyMinutes`. */
export async function fillQueue(app: TestApp, email: string, count: number, everyMinutes = 1): Promise<void> {
  const { rows } = await app.owner.pool.query('select id from users where email = $1', [email])
  const like = `'${rows[0].id}'`
  const other = (table: string, changes: string) =>
    `insert into ${table} select (jsonb_populate_record(one, jsonb_build_object(${changes}))).* from ${table} one, crowd where one.${table === 'verifications' ? 'merchant_id' : 'id'} = ${like};`
  await app.owner.pool.query(`
    begin; set local session_replication_role = replica;
    create temporary table crowd on commit drop as select gen_random_uuid() as crowd_id, n from generate_series(1, ${count}) n;
    ${other('users', `'id', crowd_id, 'email', n || '@crowd.example', 'phone_number', '+2557' || (10000000 + n)`)}
    ${other('merchants', `'id', crowd_id, 'user_id', crowd_id`)}
    ${other('verifications', `'merchant_id', crowd_id, 'submitted_at', clock_now() - n * interval '${everyMinutes} minutes'`)}
    commit; analyze`)
}
