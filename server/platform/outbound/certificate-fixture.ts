/** A self-signed certificate for tests, made at run time so that the repository contains no private key (RFC 5280, ECDSA P-256). */
import { generateKeyPairSync, sign } from 'node:crypto'

function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...contents: Buffer[]) => der(0x30, ...contents)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const commonName = oid('550403')
const subjectAltName = oid('551d11')
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))

function generalizedTime(at: number): Buffer {
  const text = new Date(at).toISOString().replace(/[-:T]/g, '').slice(0, 14)
  return der(0x18, Buffer.from(`${text}Z`))
}

/** A self-signed certificate for one host name; times are milliseconds since the epoch. */
export function makeCertificate(options: { host: string; notBefore: number; notAfter: number }): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(options.host)))))
  const names = sequence(subjectAltName, der(0x04, sequence(der(0x82, Buffer.from(options.host)))))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(generalizedTime(options.notBefore), generalizedTime(options.notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(names)),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const base64 = sequence(body, ecdsaWithSha256, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)!.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}
