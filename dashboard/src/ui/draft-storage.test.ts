import { beforeEach, expect, test, vi } from 'vitest'
import { memoryStorage } from '../../../test/harness/browser-storage.ts'

/** Anew for each test: it remembers that somebody has signed out. */
async function open(options?: Parameters<typeof memoryStorage>[0]) {
  vi.stubGlobal('sessionStorage', memoryStorage(options))
  vi.stubGlobal('localStorage', memoryStorage(options))
  vi.resetModules()
  return import('./draft-storage.ts')
}

beforeEach(() => () => vi.unstubAllGlobals())

test('a draft is kept for its team, and another team does not see it', async () => {
  const { sessionDrafts, setDraftTeam } = await open()
  setDraftTeam('acme')
  sessionDrafts.write('topic', { name: 'News' })

  setDraftTeam('globex')
  expect(sessionDrafts.read('topic')).toBeNull()
  setDraftTeam('acme')
  expect(sessionDrafts.read('topic')).toEqual({ name: 'News' })
  sessionDrafts.remove('topic')
  expect(sessionDrafts.read('topic')).toBeNull()
})

test('what somebody else wrote there is no draft', async () => {
  const { sessionDrafts, localDrafts, setDraftTeam } = await open()
  setDraftTeam('acme')
  sessionStorage.setItem('written:acme:topic', '{broken')
  localStorage.setItem('written:acme:mail:1', '{broken')

  expect(sessionDrafts.read('topic')).toBeNull()
  expect(localDrafts.list('mail:')).toEqual([])
})

test('a full storage is told where the text is nowhere else, and ignored where the form has it', async () => {
  const { sessionDrafts, localDrafts } = await open({ maxCharacters: 10 })

  expect(localDrafts.write('mail:1', { text: 'far too long' })).toBe(false)
  expect(() => sessionDrafts.write('topic', { name: 'far too long' })).not.toThrow()
})

test('local drafts are listed by the beginning of their names', async () => {
  const { localDrafts, setDraftTeam } = await open()
  setDraftTeam('acme')
  for (const name of ['mail:1', 'mail:2', 'other:1']) localDrafts.write(name, { name })

  expect(localDrafts.list('mail:')).toEqual([{ name: 'mail:1' }, { name: 'mail:2' }])
})

test('signing out removes all drafts and nothing else, and what the page still writes is dropped', async () => {
  const { clearDrafts, localDrafts, sessionDrafts, setDraftTeam } = await open()
  setDraftTeam('acme')
  localStorage.setItem('theme', 'dark')
  localDrafts.write('mail:1', {})
  sessionDrafts.write('topic', { name: 'News' })

  clearDrafts()
  expect(localDrafts.write('mail:2', {})).toBe(true)

  expect([Object.keys(localStorage), Object.keys(sessionStorage)]).toEqual([['theme'], []])
})
