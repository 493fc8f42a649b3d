import { expect, test } from 'vitest'
import { startModelServer } from '../../../../test/harness/model-server.ts'
import { startSpamd } from '../../../../test/harness/spamd.ts'
import { loadConfig } from '../../../platform/settings/config.ts'
import type { Check } from './finding.ts'
import { checkModel } from './model.ts'
import { checkSpamFilter } from './spam-filter.ts'

async function check(run: Check['run'], settings: Record<string, string>): Promise<string[]> {
  const findings = await run({ config: loadConfig(settings), environment: settings })
  return findings.map(({ status, message }) => `${status}: ${message}`)
}

/** A server that answers whoever asks for its models. */
async function modelServer(status: number, models: unknown) {
  const server = await startModelServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(models))
    return undefined
  })
  return { server, settings: { ...server.settings, POSTWREN_AGENT_KEY: 'sk-secret' } }
}

test('where nothing is set, there is nothing to check', async () => {
  expect(await check(checkModel, {})).toEqual([])
  expect(await check(checkSpamFilter, {})).toEqual([])
})

test.each([
  ['test-model', 'ok', 'has the model'],
  ['test-model:latest', 'ok', 'has the model'],
  ['another', 'warning', 'no such model. Is POSTWREN_AGENT_MODEL right?'],
])('a server with the model %s: %s', async (id, status, said) => {
  const { server, settings } = await modelServer(200, { object: 'list', data: [{ id }, 'x', null] })

  const [finding] = await check(checkModel, settings)

  expect(finding).toMatch(new RegExp(`^${status}: Agent: test-model at http://`))
  expect(finding).toContain(said)
  expect(server.asked).toMatchObject([{ path: '/v1/models', headers: { authorization: 'Bearer sk-secret' } }])
})

test.each([404, 200])('a server that has no list of models (%i) answers all the same', async (status) => {
  const { settings } = await modelServer(status, { error: 'what?' })

  expect(await check(checkModel, settings)).toEqual([
    expect.stringMatching(/^ok: Agent: .* does not tell which models it has\.$/),
  ])
})

test.each([
  [401, 'it refuses the key \\(401\\)'],
  [503, 'it answers 503'],
])('a server that answers %i is a fault, and the key is not repeated', async (status, reason) => {
  const { settings } = await modelServer(status, { error: 'sk-secret is wrong' })

  const [finding] = await check(checkModel, settings)

  expect(finding).toMatch(new RegExp(`^fault: The model cannot be used: ${reason}\\. .*POSTWREN_AGENT_KEY`))
  expect(finding).not.toContain('sk-secret')
})

test('a model server that is away is a fault', async () => {
  const settings = { POSTWREN_AGENT_URL: 'http://127.0.0.1:1/v1', POSTWREN_AGENT_MODEL: 'm' }

  expect(await check(checkModel, settings)).toEqual([expect.stringMatching(/^fault: The model cannot be used: /)])
})

test('a spam filter that gives a score is fine, and one that does not is a fault', async () => {
  const POSTWREN_SPAMD_URL = await startSpamd('SPAMD/1.1 0 EX_OK\r\nSpam: False ; 1 / 5.0\r\n\r\n')

  expect(await check(checkSpamFilter, { POSTWREN_SPAMD_URL })).toEqual(['ok: Spam filter: answers. 5 points are spam.'])
  expect(await check(checkSpamFilter, { POSTWREN_SPAMD_URL: 'spamd://127.0.0.1:1' })).toEqual([
    expect.stringMatching(/^fault: The spam filter gives no score: .*POSTWREN_SPAMD_URL right\?$/),
  ])
})
