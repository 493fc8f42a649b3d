import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, onTestFinished, test } from 'vitest'
import { isOneOf, keyOf, refetchMatching, sandboxOf } from './queries.ts'

test('a key says where it was asked', () => {
  expect(sandboxOf(keyOf('topics.list', {}))).toBeUndefined()
  expect(sandboxOf(keyOf('topics.list', {}, 'box'))).toBe('box')
  expect(keyOf('topics.list', {}, 'box')).not.toEqual(keyOf('topics.list', {}))
})

test('a beginning means whole words of an id', () => {
  expect(isOneOf(['inboxes.threads.list'], ['inboxes.threads'])).toBe(true)
  expect(isOneOf(['inboxes.threads'], ['inboxes.threads'])).toBe(true)
  expect(isOneOf(['contact-properties.list'], ['contacts'])).toBe(false)
  expect(isOneOf(['emails.get'], ['emails.list', 'topics'])).toBe(false)
})

/** Somebody looks at it; answers come when the test says so. */
function watch(queries: QueryClient, name: string) {
  const answers: ((value: string) => void)[] = []
  const observer = new QueryObserver(queries, {
    queryKey: [name],
    queryFn: () => new Promise<string>((resolve) => answers.push(resolve)),
  })
  onTestFinished(observer.subscribe(() => {}))
  const answer = async (value: string) => {
    answers.shift()!(value)
    await new Promise((resolve) => setTimeout(resolve))
  }
  return { answers, answer, data: () => observer.getCurrentResult().data }
}

test('what was being read for the first time when something happened is read once more', async () => {
  const queries = new QueryClient()
  onTestFinished(() => queries.clear())
  const topics = watch(queries, 'topics.list')

  const refetched = refetchMatching(queries, ({ queryKey }) => isOneOf(queryKey, ['topics']))
  await topics.answer('before')
  expect(topics.answers).toHaveLength(1)
  await topics.answer('after')
  await refetched

  expect(topics.data()).toBe('after')
})

test('what is not meant is left alone', async () => {
  const queries = new QueryClient()
  onTestFinished(() => queries.clear())
  const [topics, domains] = [watch(queries, 'topics.list'), watch(queries, 'domains.list')]
  await topics.answer('first')
  await domains.answer('first')

  const refetched = refetchMatching(queries, ({ queryKey }) => isOneOf(queryKey, ['topics']))
  expect([topics.answers.length, domains.answers.length]).toEqual([1, 0])
  await topics.answer('second')
  await refetched

  expect([topics.data(), domains.data()]).toEqual(['second', 'first'])
})
