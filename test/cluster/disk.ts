/**
 * A disk of one machine: an ext4 file system in a file, mounted in the namespace of the cluster, so that the kernel removes it
 * with that namespace. It can be filled to the last byte, and the programs that were started through it can be made to write slowly.
 */
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Disk = {
  folder: string
  /** Words before those of a program, also before those that move it to another network, which hide the groups. */
  through: string[]
  fill(): Promise<void>
  free(): Promise<void>
  /** `writes` a second reach the disk; without it as many as it can. */
  slow(writes?: number): void
}

const size = '3G'

/** Control groups of version 1 have a folder for each resource; those of version 2 have one file for each. */
const isFirstVersion = existsSync('/sys/fs/cgroup/blkio')
const groups = isFirstVersion ? '/sys/fs/cgroup/blkio' : '/sys/fs/cgroup'

/** The kernel keeps a group whose programs have ended. `name` is the one of a cluster's folder. */
export function removeGroups(name: string): void {
  for (const group of globSync(`${groups}/${name}-*`)) rmdirSync(group)
}

export async function makeDisk(folder: string): Promise<Disk> {
  const [image, filler] = [`${folder}.ext4`, join(folder, 'filler')]
  mkdirSync(folder)
  await run('truncate', ['-s', size, image])
  await run('mkfs.ext4', ['-q', '-F', '-m', '0', image])
  await run('mount', ['-o', 'loop', image, folder])
  const { dev } = statSync(folder)
  const device = `${(dev >> 8) & 0xfff}:${dev & 0xff}`
  const group = join(groups, `${basename(dirname(folder))}-${basename(folder)}`)
  if (!isFirstVersion) writeFileSync(join(groups, 'cgroup.subtree_control'), '+io')
  mkdirSync(group)
  return {
    folder,
    through: ['sh', '-c', `echo 0 >${group}/cgroup.procs && exec "$@"`, 'sh'],
    async fill() {
      // All that is free at once, and then what the file system kept for the book about it.
      await run('sh', [
        '-c',
        `fallocate -l "$(df --output=avail -B1 ${folder} | tail -1)" ${filler}; cat /dev/zero >>${filler}`,
      ]).catch(() => undefined)
    },
    free: () => rm(filler, { force: true }),
    slow(writes) {
      if (isFirstVersion) writeFileSync(join(group, 'blkio.throttle.write_iops_device'), `${device} ${writes ?? 0}`)
      else writeFileSync(join(group, 'io.max'), `${device} wiops=${writes ?? 'max'}`)
    },
  }
}
