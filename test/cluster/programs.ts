/** The programs of a cluster, and how an operator of Debian 12 gets each. */
import { existsSync, globSync } from 'node:fs'

/** Needs `pg_basebackup`, `pg_rewind` and `pg_controldata`, which the embedded PostgreSQL does not have. */
export const postgres = '/usr/lib/postgresql/15/bin'

/**
 * Debian's own 3.0.2 writes the lock of the primary without asking who holds it, when its own lease has ended (`_update_leader` of
 * `dcs/etcd3.py`): a primary that hung takes the lock back from its successor, and what that one has accepted is lost.
 */
export const patroni = '/opt/patroni/bin/patroni'
export const patroniPackage = 'patroni[etcd3,psycopg2-binary]==4.1.5'

export const [clockLibrary] = globSync('/usr/lib/*/faketime/libfaketime.so.1')

const packages: Record<string, string | undefined> = {
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  iproute2: '/usr/sbin/ip',
  'postgresql-15': `${postgres}/postgres`,
  e2fsprogs: '/usr/sbin/mkfs.ext4',
  faketime: clockLibrary,
  'python3-venv': globSync('/usr/lib/python3*/ensurepip')[0],
}

/** The commands that install what is missing. */
export function missingPrograms(): string[] {
  const missing = Object.entries(packages).filter(([, file]) => file === undefined || !existsSync(file))
  return [
    ...(missing.length > 0 ? [`apt-get install ${missing.map(([name]) => name).join(' ')}`] : []),
    ...(existsSync(patroni) ? [] : [`/usr/bin/python3 -m venv /opt/patroni && /opt/patroni/bin/pip install '${patroniPackage}'`]),
  ]
}
