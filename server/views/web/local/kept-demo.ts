/** The file in which a local start keeps the demo of its data folder. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Demo = {
  base_url: string
  checkout_base_url: string
  storage_url: string
  simulator_url: string
  student: { email: string; password: string }
  admin: { email: string; password: string; totp_secret: string; recovery_codes: string[] }
  test_key: string
  live_key: string
  page_slug: string
}

/** As the file has it: that of an earlier version has no operator yet. */
export type KeptDemo = Omit<Demo, 'admin'> & { admin?: Demo['admin'] }

export function demoFile({ dataDir }: { dataDir: string }): string {
  return join(dataDir, 'demo.json')
}

/** The saved demo; undefined where no local start has made one. */
export async function readDemo(config: { dataDir: string }): Promise<KeptDemo | undefined> {
  try {
    return JSON.parse(await readFile(demoFile(config), 'utf8')) as KeptDemo
  } catch {
    return undefined
  }
}
