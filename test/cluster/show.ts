/** `npm run cluster`: starts the cluster and prints its addresses. */
import { startCluster } from './cluster.ts'

process.stdin.resume().once('end', () => process.exit(0))

const { nodes, apps, primary } = await startCluster(process.argv[2]!)
const lines = [
  ...nodes.map(({ name, address }) => `${name}  PostgreSQL ${address}:5432, Patroni http://${address}:8008/cluster`),
  ...apps.map(({ name, url }) => `${name}  api ${url}, and a worker; both reach the primary through HAProxy on 127.0.0.1:5000`),
  `The primary is ${(await primary())?.name}. Ctrl-C stops it.`,
]
process.stdout.write(`${lines.join('\n')}\n`)
