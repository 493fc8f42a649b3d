import { generateKeyPairSync } from 'node:crypto'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { expect, test } from 'vitest'
import { check } from './checks.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const KEY = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`

const ZONE: Record<string, unknown[]> = {
  'TXT key._domainkey.bank.example': [[KEY]],
  'TXT key._domainkey.evil.example': [[KEY]],
  'TXT key._domainkey.plain.example': [[KEY]],
  'TXT _dmarc.bank.example': [['v=DMARC1; p=reject']],
  'TXT _dmarc.evil.example': [['v=DMARC1; p=none']],
  'TXT evil.example': [['v=spf1 ip4:192.0.2.1 -all']],
  'TXT named.example': [['v=spf1 ptr -all']],
  'PTR 1.2.0.192.in-addr.arpa': ['mail.named.example', 'other.example'],
  'A mail.named.example': ['192.0.2.1'],
}

const resolver = async (name: string, type: string) => {
  const records = ZONE[`${type} ${name}`]
  if (!records) throw Object.assign(new Error(name), { code: 'ENOTFOUND' })
  return records as string[]
}

const sign = async (message: string, signingDomain: string, more: { maxBodyLength?: number } = {}) => {
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const signature = { signingDomain, selector: 'key', privateKey: key, ...more }
  const { signatures } = await dkimSign(message, {
    canonicalization: 'relaxed/relaxed',
    signatureData: [signature],
  } as never)
  return `${signatures}${message}`
}

const checked = (message: string, { from, envelopeFrom = 'x@evil.example' }: { from: string; envelopeFrom?: string }) =>
  check(
    {
      raw: Buffer.from(message),
      clientAddress: '192.0.2.1',
      helo: 'mx.evil.example',
      envelopeFrom,
      from,
      hostname: 'mx.test',
    },
    resolver,
  )

const mail = (...fields: string[]) => `${fields.join('\r\n')}\r\nSubject: x\r\n\r\nHello\r\n`

test('a message of one author is judged by their policy', async () => {
  const own = await sign(mail('From: ceo@bank.example'), 'bank.example')

  expect(await checked(own, { from: 'ceo@bank.example' })).toMatchObject({
    dkim: [{ result: 'pass', domain: 'bank.example', selector: 'key' }],
    dmarc: { result: 'pass', domain: 'bank.example', policy: 'reject' },
  })
  expect(await checked(mail('From: ceo@bank.example'), { from: 'ceo@bank.example' })).toMatchObject({
    spf: { result: 'pass', domain: 'evil.example' },
    dmarc: { result: 'fail', domain: 'bank.example', policy: 'reject' },
  })
})

test.each([
  ['two From fields', ['From: ceo@bank.example', 'From: me@evil.example']],
  ['two From fields, the other way round', ['From: me@evil.example', 'From: ceo@bank.example']],
  ['two authors', ['From: ceo@bank.example, me@evil.example']],
  ['an author without a policy beside', ['From: ceo@bank.example, me@plain.example']],
  ['a group', ['From: staff: me@evil.example, ceo@bank.example;']],
  ['an author who is none', ['From: ceo@bank.example, @']],
])('with %s nobody passes in the name of the other', async (_, fields) => {
  const signed = await sign(await sign(mail(...fields), 'evil.example'), 'plain.example')

  const { dmarc } = await checked(signed, { from: 'ceo@bank.example' })

  expect(dmarc).toEqual({ result: 'fail', domain: 'bank.example', policy: 'reject' })
})

test('two From fields of one domain do not pass either: the signature covers one of them', async () => {
  const signed = await sign(mail('From: ceo@bank.example'), 'bank.example')

  const { dkim, dmarc } = await checked(`From: boss@bank.example\r\n${signed}`, { from: 'boss@bank.example' })

  expect(dkim).toMatchObject([{ result: 'pass' }])
  expect(dmarc).toEqual({ result: 'fail', domain: 'bank.example', policy: 'reject' })
})

test('the sender that is shown is an author, whatever else is found in the field', async () => {
  const signed = await sign(mail('From: me@evil.example'), 'evil.example')

  const { dmarc } = await checked(signed, { from: 'CEO <ceo@bank.example>' })

  expect(dmarc).toMatchObject({ result: 'fail', domain: 'bank.example', policy: 'reject' })
})

test('several authors pass when all of them do', async () => {
  const message = mail('From: a@bank.example, b@evil.example, c@bank.example')
  const signed = await sign(await sign(message, 'evil.example'), 'bank.example')

  expect((await checked(signed, { from: 'a@bank.example' })).dmarc).toMatchObject({ result: 'pass' })
})

test('without any policy there is none, but two From fields are an error', async () => {
  const [one, two] = ['From: a@plain.example', 'From: b@other.example']

  expect((await checked(mail(one), { from: 'a@plain.example' })).dmarc.result).toBe('none')
  expect((await checked(mail(`${one}, b@other.example`), { from: 'a@plain.example' })).dmarc.result).toBe('none')
  expect((await checked(mail(one, two), { from: 'a@plain.example' })).dmarc.result).toBe('permerror')
})

test('a hundred authors are asked about as a few, and do not pass', async () => {
  const asked: string[] = []
  const authors = Array.from({ length: 100 }, (_, n) => `a@d${n}.example`).join(', ')
  const counting = (name: string, type: string) => {
    asked.push(name)
    return resolver(name, type)
  }
  const message = {
    clientAddress: '192.0.2.1',
    helo: 'x',
    envelopeFrom: '',
    from: 'a@bank.example',
    hostname: 'mx.test',
  }

  const { dmarc } = await check({ ...message, raw: Buffer.from(mail(`From: ${authors}`)) }, counting)

  expect(dmarc).toMatchObject({ result: 'fail', policy: 'reject' })
  expect(asked.filter((name) => name.startsWith('_dmarc')).length).toBeLessThan(15)
})

test('a signature with l= passes as long as there is no more than it covers', async () => {
  const signed = await sign(mail('From: ceo@bank.example'), 'bank.example', { maxBodyLength: 7 })
  expect(signed).toMatch(/l=7;/)

  const whole = await checked(signed, { from: 'ceo@bank.example' })
  const appended = await checked(`${signed}Pay here: evil.example\r\n`, { from: 'ceo@bank.example' })

  expect(whole).toMatchObject({ dkim: [{ result: 'pass' }], dmarc: { result: 'pass' } })
  expect(appended).toMatchObject({
    dkim: [{ result: 'policy', domain: 'bank.example' }],
    dmarc: { result: 'fail', policy: 'reject' },
  })
})

test('SPF knows a client by its name', async () => {
  const message = mail('From: a@named.example')

  expect(await checked(message, { from: 'a@named.example', envelopeFrom: 'a@named.example' })).toMatchObject({
    spf: { result: 'pass', domain: 'named.example' },
  })
})
