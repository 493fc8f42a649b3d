import { expect, test } from 'vitest'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { NOBODY, type SdkContext, TIMESTAMP } from './context.ts'

let number = 0
const freshName = () => `sdk-${++number}.example`

export function domainTests(context: SdkContext) {
  test('a domain is created, shown, changed, verified, listed and removed', async () => {
    const { domains } = context.resend
    const name = freshName()

    const created = await dataOf(domains.create({ name, region: 'eu-west-1', customReturnPath: 'bounces' }))
    expect(created).toMatchObject({ name, status: 'not_started', region: 'eu-west-1', open_tracking: false })
    expect(created.records.map(({ record, type, status }) => [record, type, status])).toEqual([
      ['SPF', 'MX', 'not_started'],
      ['SPF', 'TXT', 'not_started'],
      ['DKIM', 'TXT', 'not_started'],
      ['SPF', 'TXT', 'not_started'],
    ])
    const { id } = created
    expect(
      await dataOf(domains.update({ id, clickTracking: true, tls: 'enforced', trackingSubdomain: 'links' })),
    ).toEqual({ object: 'domain', id })
    expect(await dataOf(domains.get(id))).toMatchObject({
      object: 'domain',
      id,
      created_at: expect.stringMatching(TIMESTAMP),
      click_tracking: true,
      tracking_subdomain: 'links',
    })
    expect(await dataOf(domains.verify(id))).toEqual({ object: 'domain', id })
    expect((await dataOf(domains.list())).data[0]).toMatchObject({ id, name, status: 'pending' })

    expect(await dataOf(domains.remove(id))).toEqual({ object: 'domain', id, deleted: true })
    expect(await errorOf(domains.get(id))).toEqual({ statusCode: 404, message: 'Domain not found', name: 'not_found' })
  })

  test('a domain of another team is claimed', async () => {
    const { domains } = context.resend
    const name = freshName()
    await dataOf(context.neighbour.domains.create({ name }))
    expect(await errorOf(domains.create({ name }))).toEqual({
      statusCode: 403,
      message: `The \`${name}\` domain has been registered already.`,
      name: 'validation_error',
    })

    const claim = await dataOf(domains.claims.create({ name }))

    expect(claim).toMatchObject({ object: 'domain_claim', name, status: 'pending', record: { type: 'TXT', name } })
    expect(await dataOf(domains.claims.get(claim.domain_id!))).toEqual(claim)
    expect(await dataOf(domains.claims.verify(claim.domain_id!))).toEqual(claim)
  })

  test('mistakes with domains are told', async () => {
    const { domains } = context.resend

    expect(await errorOf(domains.create({ name: 'localhost' }))).toMatchObject({
      statusCode: 422,
      message: expect.stringContaining('`name`'),
    })
    expect(await errorOf(domains.update({ id: NOBODY, tls: 'enforced' }))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(domains.verify(NOBODY))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(domains.claims.get(NOBODY))).toMatchObject({ statusCode: 404 })
  })
}
