import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startStage } from '../../../../test/harness/staged.ts'

const RULE = { match: { to: 'gone@*', attempt: { at_most: 2 } }, outcome: { reply: '550 5.1.1 no such user' } }

test('a sandbox has the scenario that was set last, for its own key and for whoever made it', async () => {
  const { acme, sandbox } = await startStage()
  const [box, other] = [await sandbox(), await sandbox()]
  const empty = { object: 'scenario', rules: [], webhooks: [], smtp: {} }
  expect((await box.get('/scenario')).body).toEqual(empty)

  const set = await box.setScenario({ rules: [RULE], smtp: { mail: { probability: 0.1 } } })

  const shown = { object: 'scenario', rules: [RULE], webhooks: [], smtp: { mail: { probability: 0.1 } } }
  expect(set).toMatchObject({ status: 200, body: shown })
  expect((await acme.get(`/sandboxes/${box.team}/scenario`)).body).toEqual(shown)
  expect((await other.get('/scenario')).body).toEqual(empty)
  const path = `/sandboxes/${box.team}/scenario`
  expect((await acme.send({ method: 'PUT', url: path, payload: {} })).body).toEqual(empty)
  expect((await other.send({ method: 'PUT', url: path, payload: { rules: [RULE] } })).status).toBe(404)
  expect((await box.get('/scenario')).body).toEqual(empty)
})

test('an ordinary team has none, and hears why', async () => {
  const { acme } = await startStage()

  for (const method of ['GET', 'PUT'] as const) {
    const reply = await acme.send({ method, url: '/scenario', ...(method === 'PUT' && { payload: {} }) })
    expect(reply.status).toBe(404)
    expect(reply.body.message).toContain('POST /sandboxes')
  }
})

const rule = (outcome: object, match = {}) => ({ rules: [{ match, outcome }] })

test.each([
  [{ rules: 'all' }, 'Invalid `rules` field. It must be a list of at most 100 items.'],
  [{ rules: Array(101).fill(RULE) }, 'Invalid `rules` field. It must be a list of at most 100 items.'],
  [{ rule: [] }, 'The request body must be an object of `rules`, `webhooks`, `smtp`.'],
  [{ rules: [{ match: {} }] }, 'Missing `rules[0].outcome` field.'],
  [rule({ replied: {} }), 'Missing `rules[0].outcome.replied.text` field.'],
  [rule({}), /^Invalid `rules\[0\]\.outcome` field\. It must be an object of `reply`, /],
  [rule({ exploded: true }), /^Invalid `rules\[0\]\.outcome` field\. It must be an object of `reply`, /],
  [rule(RULE.outcome, { too: 'a' }), /^Invalid `rules\[0\]\.match` field\. It must be an object of `to`, `domain`, /],
  [
    rule({ reply: 'no such user' }),
    'Invalid `rules[0].outcome.reply` field. It must be a reply of SMTP like `550 5.1.1 no such user`.',
  ],
  [rule({ reply: '354 go on' }), /^Invalid `rules\[0\]\.outcome\.reply` field\./],
  [rule({ reply: '550 a\r\n250 b' }), /^Invalid `rules\[0\]\.outcome\.reply` field\./],
  [
    rule({ bounced: { reply: '250 fine' } }),
    /^Invalid `rules\[0\]\.outcome\.bounced\.reply` field\. It must be a refusal/,
  ],
  [
    rule({ delayed: 'a while' }),
    'Invalid `rules[0].outcome.delayed` field. It must be a duration like `10 minutes` or `3 days`.',
  ],
  [
    rule({ opened: { after: '500 days' } }),
    /^Invalid `rules\[0\]\.outcome\.opened\.after` field\. It must be at most /,
  ],
  [
    rule({ reply: '250 ok', greylisted: 2 }),
    'Invalid `rules[0].outcome` field. One of `reply`, `delayed`, `connection_lost` or `greylisted` decides about a delivery, and these are `reply` and `greylisted`.',
  ],
  [
    rule({ reply: '550 no', opened: {} }),
    'Invalid `rules[0].outcome.opened` field. With `reply` the mail is not delivered, and nothing follows.',
  ],
  [
    rule({ opened: { by: 'cat' } }),
    'Invalid `rules[0].outcome.opened.by` field. It must be one of `person`, `privacy_proxy`, `scanner`.',
  ],
  [
    rule(RULE.outcome, { probability: 1.5 }),
    'Invalid `rules[0].match.probability` field. It must be a number from 0 to 1.',
  ],
  [rule(RULE.outcome, { nth: 0 }), 'Invalid `rules[0].match.nth` field. It must be a number from 1 to 1000000.'],
  [
    rule(RULE.outcome, { attempt: { at_least: 3, at_most: 2 } }),
    'Invalid `rules[0].match.attempt` field. `at_least` must not be greater than `at_most`.',
  ],
  [
    { webhooks: [{ outcome: { status: 500, times_out: true } }] },
    'Invalid `webhooks[0].outcome` field. It must have one of `status`, `times_out` or `connection_lost`.',
  ],
  [{ webhooks: [{ outcome: { times: 2 } }] }, /^Invalid `webhooks\[0\]\.outcome` field\. It must have one of/],
  [{ smtp: { data: {} } }, 'Invalid `smtp` field. It must be an object of `mail`, `rcpt`, `auth`.'],
  [{ smtp: { mail: { reply: '250 ok' } } }, /^Invalid `smtp\.mail\.reply` field\. It must be a refusal of SMTP/],
])('%j is refused with a word about what is wrong', async (scenario, message) => {
  const { sandbox } = await startStage()
  const reply = await (await sandbox()).setScenario(scenario)

  expect(reply.status).toBe(422)
  if (typeof message === 'string') expect(reply.body.message).toBe(message)
  else expect(reply.body.message).toMatch(message)
})

test('what the page about scenarios shows is taken as it stands there', async () => {
  const page = readFileSync('docs/scenarios.md', 'utf8')
  const whole = [...page.matchAll(/```json\n([^`]+)```|-d '([^']+)'/g)].map(([, block, body]) =>
    JSON.parse((block ?? body)!),
  )
  const outcomes = [...page.matchAll(/^\| `(\{"[^`]+\})` \|/gm)].map(([, outcome]) => JSON.parse(outcome!))
  const { sandbox } = await startStage()
  const box = await sandbox()

  for (const scenario of [...whole, ...outcomes.map((outcome) => rule(outcome))])
    expect(await box.setScenario(scenario), JSON.stringify(scenario)).toMatchObject({ status: 200, body: scenario })
  expect([whole.length, outcomes.length]).toEqual([3, 10])
})
