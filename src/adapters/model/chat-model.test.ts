import { expect, test } from 'vitest'
import { answerOf, startModelServer } from '../../../test/harness/model-server.ts'
import { eventually } from '../../../test/harness/service.ts'
import { ChatModel } from './chat-model.ts'
import { readAnswer, type Tool } from './protocol.ts'

const TOOL: Tool = { name: 'archive', description: 'Puts it away.', parameters: { type: 'object', properties: {} } }
const MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello' },
] as const

const ask = (url: string, more: { key?: string; timeoutMs?: number; signal?: AbortSignal } = {}) =>
  new ChatModel({ url, model: 'm', ...more }).ask({
    messages: MESSAGES,
    tools: [TOOL],
    signal: more.signal ?? new AbortController().signal,
  })

test('a question carries model, messages, tools and the key, and the answer what the model wants done', async () => {
  const server = await startModelServer(() => [['archive', { reason: 'It is done.' }]])

  const outcome = await ask(`${server.url}/`, { key: 'sk-secret' })

  expect(server.asked).toMatchObject([
    {
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-secret', 'content-type': 'application/json' },
      body: {
        model: 'm',
        messages: MESSAGES,
        stream: false,
        tool_choice: 'auto',
        tools: [{ type: 'function', function: TOOL }],
      },
    },
  ])
  expect(outcome).toMatchObject({
    kind: 'answered',
    calls: [{ name: 'archive', input: { reason: 'It is done.' } }],
    inputTokens: 100,
    outputTokens: 10,
  })
})

test('without a key none is sent, and without tools there is no word of tools', async () => {
  const server = await startModelServer()
  const model = new ChatModel({ url: server.url, model: 'm' })

  await model.ask({ messages: MESSAGES, tools: [], signal: new AbortController().signal })

  expect(server.asked[0]!.headers.authorization).toBeUndefined()
  expect(Object.keys(server.asked[0]!.body)).toEqual(['model', 'messages', 'stream'])
})

test.each([
  [500, true],
  [503, true],
  [429, true],
  [401, false],
  [400, false],
  [302, false],
])('status %i is no answer; to ask again is of use: %j', async (status, isTemporary) => {
  const server = await startModelServer((_, response) => {
    response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('Bad key sk-secret given')
    return undefined
  })

  const outcome = await ask(server.url, { key: 'sk-secret' })

  expect(outcome).toEqual({
    kind: 'failed',
    reason: `The model refused to answer (${status}).`,
    detail: 'Bad key … given',
    isTemporary,
  })
  expect(server.asked).toHaveLength(1)
})

test('a server that is away, slow, endless or talks nonsense is a value', async () => {
  const server = await startModelServer((_, response) => void response.flushHeaders())
  expect(await ask(server.url, { timeoutMs: 50 })).toMatchObject({
    reason: 'The model took too long to answer.',
    isTemporary: true,
  })

  server.script((_, response) => void response.end('x'.repeat(1024 * 1024 + 1)))
  expect(await ask(server.url)).toMatchObject({ reason: 'The answer of the model was too long.', isTemporary: false })

  server.script((_, response) => void response.end('<html>'))
  expect(await ask(server.url)).toMatchObject({ reason: 'The model gave no answer that can be understood.' })

  expect(await ask('http://127.0.0.1:1')).toMatchObject({
    reason: 'The model could not be reached.',
    isTemporary: true,
  })
})

test('when nobody waits any more the question is taken back', async () => {
  const stopping = new AbortController()
  let isClosed = false
  const server = await startModelServer((_, response) => {
    response.on('close', () => {
      isClosed = true
    })
    stopping.abort()
    return undefined
  })

  await expect(ask(server.url, { signal: stopping.signal })).rejects.toThrow(
    expect.objectContaining({ name: 'AbortError' }),
  )
  await eventually(() => isClosed)
})

const callOf = (call: object) =>
  readAnswer(JSON.stringify({ choices: [{ message: { content: null, tool_calls: [call] } }] }))

test.each([
  ['no JSON', { id: 'a', function: { name: 'archive', arguments: '{"reason": ' } }, null],
  ['a list', { id: 'a', function: { name: 'archive', arguments: '[1]' } }, null],
  ['an object', { id: 'a', function: { name: 'archive', arguments: { reason: 'r' } } }, { reason: 'r' }],
  ['nothing', { id: 'a', function: { name: 'archive' } }, {}],
])('arguments that are %s are read, and written validly for the next question', (_, call, input) => {
  const answer = callOf(call)

  expect(answer?.calls).toEqual([{ id: 'a', name: 'archive', input }])
  expect(answer?.message).toMatchObject({
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'archive', arguments: JSON.stringify(input ?? {}) } }],
  })
})

test('a call without an id gets one, and what else a server has put there comes back to it', () => {
  const answer = callOf({ extra_content: { signature: 's' }, function: { name: 'archive', arguments: '{}' } })

  expect(answer?.calls).toEqual([{ id: 'call_1', name: 'archive', input: {} }])
  expect(answer?.message).toMatchObject({ tool_calls: [{ id: 'call_1', extra_content: { signature: 's' } }] })
})

test.each(['null', '1', '{}', '{"choices":[]}', '{"choices":{}}', '{"choices":[{"message":1}]}', '{"choices":[null]}'])(
  '%s is no answer',
  (text) => {
    expect(readAnswer(text)).toBeNull()
  },
)

test('what a model has too much of is left out', () => {
  const many = answerOf(Array.from({ length: 50 }, () => ['archive', {}] as const))
  const odd = JSON.stringify({
    choices: [{ message: { content: [], tool_calls: [null, 1, {}, { function: {} }, { function: { name: 1 } }] } }],
    usage: { prompt_tokens: -5, completion_tokens: 1e300 },
  })

  expect(readAnswer(many)?.calls).toHaveLength(10)
  expect(readAnswer(odd)).toEqual({
    message: { role: 'assistant', content: '' },
    calls: [],
    inputTokens: 0,
    outputTokens: 10_000_000,
  })
})
