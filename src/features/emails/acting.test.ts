import { describe, expect, test } from 'vitest'
import { readEmail, SIMPLE, startAcme } from '../../../test/harness/emails.ts'
import { sql } from '../../kernel/db/sql.ts'
import { withDatabase } from '../../kernel/db/team-services.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { enqueue } from '../../kernel/jobs/queries.ts'
import { PERMISSIONS } from '../api-keys/permissions.ts'
import { job } from '../definitions.ts'
import { sendEmail } from './actions.ts'

/** Somebody of the team who has no key. */
const withoutKey = (team: string, domainId: string | null = null): Actor => ({
  team,
  identity: { kind: 'anonymous' },
  permissions: PERMISSIONS.sending_access,
  domainId,
})

describe('without a request and without a key', () => {
  test('a job sends an email', async () => {
    const { app, acme } = await startAcme()
    const sent: string[] = []
    const greet = job<{ team: string }>({
      name: 'test.greet',
      retryAfterSeconds: [],
      async run({ team }, services) {
        const { id } = await sendEmail(services, withoutKey(team), { request: SIMPLE })
        sent.push(id)
      },
    })
    await app.db.transaction((trx) => enqueue(trx, greet, { team: acme.team }, { runAt: app.clock.now() }))

    await app.workerFor([greet]).runDue()
    await app.deliverDue()

    const [id] = sent
    expect(await readEmail(acme, id!)).toMatchObject({ last_event: 'delivered', subject: SIMPLE.subject })
    const [row] = await app.db.query(sql`select api_key_id from emails where id = ${id}`)
    expect(row).toEqual({ api_key_id: null })
  })

  test('what is scheduled is sent when its time has come', async () => {
    const { app, acme } = await startAcme()
    const services = withDatabase(app.services, await app.db.forTeam(acme.team))
    const { id } = await sendEmail(services, withoutKey(acme.team), {
      request: { ...SIMPLE, scheduled_at: 'in 1 hour' },
    })
    expect(await readEmail(acme, id)).toMatchObject({ last_event: 'scheduled' })

    app.clock.advance(3_600)
    await app.deliverDue()

    expect((await readEmail(acme, id)).timeline).toEqual(['scheduled', 'sent', 'delivered'])
  })

  test('the rules are those of a request', async () => {
    const { app, acme } = await startAcme()
    const actor = withoutKey(acme.team, '01900000-0000-7000-8000-000000000000')

    await expect(sendEmail(app.services, actor, { request: SIMPLE })).rejects.toMatchObject({
      kind: 'sender_not_allowed',
    })
    await expect(
      sendEmail(app.services, withoutKey(acme.team), { request: { ...SIMPLE, to: 'nobody' } }),
    ).rejects.toMatchObject({
      kind: 'validation_error',
    })
  })
})
