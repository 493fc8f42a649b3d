import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { selfSigned } from './self-signed.ts'

function make(host: string, from = new Date('2026-01-02T03:04:05Z'), until = new Date('2036-01-02T03:04:05Z')) {
  const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return { keys, pem: selfSigned({ host, ...keys, from, until }) }
}

test('it says whose it is, for how long, and that the key is behind it', () => {
  const { keys, pem } = make('mail.example.com')

  const certificate = new X509Certificate(pem)

  expect(certificate.subject).toBe('CN=mail.example.com')
  expect(certificate.issuer).toBe('CN=mail.example.com')
  expect(certificate.subjectAltName).toBe('DNS:mail.example.com')
  expect(certificate.checkHost('mail.example.com')).toBe('mail.example.com')
  expect(certificate.checkHost('example.com')).toBeUndefined()
  expect(new Date(certificate.validFrom)).toEqual(new Date('2026-01-02T03:04:05Z'))
  expect(new Date(certificate.validTo)).toEqual(new Date('2036-01-02T03:04:05Z'))
  expect(certificate.verify(keys.publicKey)).toBe(true)
  expect(certificate.checkPrivateKey(keys.privateKey)).toBe(true)
  expect(certificate.ca).toBe(false)
  expect(certificate.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/)
})

test('it may outlive 2049, be for a long name, or for an address', () => {
  const longName = `${'a'.repeat(60)}.${'b'.repeat(60)}.example.com`

  expect(new Date(new X509Certificate(make('a.test', new Date(), new Date('2051-06-01')).pem).validTo)).toEqual(
    new Date('2051-06-01'),
  )
  expect(new X509Certificate(make(longName).pem).checkHost(longName)).toBe(longName)
  expect(new X509Certificate(make('192.0.2.7').pem).checkIP('192.0.2.7')).toBe('192.0.2.7')
})

test.skipIf(spawnSync('openssl', ['version']).status !== 0)('openssl finds nothing wrong with it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-certificate-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'cert.pem')

  for (let n = 0; n < 20; n++) {
    writeFileSync(file, make('mail.example.com', new Date(Date.now() - 1_000)).pem)
    const strictly = ['verify', '-x509_strict', '-check_ss_sig', '-purpose', 'sslserver', '-CAfile', file, file]
    expect(spawnSync('openssl', strictly, { encoding: 'utf8' }).stdout).toBe(`${file}: OK\n`)
  }
  const text = spawnSync('openssl', ['x509', '-in', file, '-noout', '-text'], { encoding: 'utf8' }).stdout
  expect(text).toContain('TLS Web Server Authentication')
  expect(text).toContain('CA:FALSE')
  expect(text).toContain('Digital Signature')
})
