import { useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiProblem } from '../api.ts'
import { isOneOf, refetchMatching } from '../queries.ts'
import { texts } from './texts.ts'

/** A pause in the writing after which it is saved. */
const AUTOSAVE_MS = 1_000

export type SaveState = 'saved' | 'changed' | 'saving' | 'failed'

interface AutosaveOptions {
  /** Saves what is there now. */
  readonly save: () => Promise<unknown>
  /** Somebody else has saved in between; nothing of this was. */
  readonly onConflict: () => void
}

/**
 * Saves what is written after a pause, one save after the other, and before the page is left. What is refused stays on the page, and the
 * reader is asked before it is left behind.
 */
export function useAutosave({ save, onConflict }: AutosaveOptions) {
  const [state, setState] = useState<SaveState>('saved')
  const [problem, setProblem] = useState<string | null>(null)
  const queries = useQueryClient()
  const work = useRef({
    isChanged: false,
    isSaving: false,
    isHeld: false,
    running: null as Promise<void> | null,
    timer: 0,
  })
  const options = useRef({ save, onConflict })
  options.current = { save, onConflict }

  const run = useCallback(async () => {
    work.current.isChanged = false
    work.current.isSaving = true
    setState('saving')
    try {
      await options.current.save().finally(() => {
        work.current.isSaving = false
      })
      setProblem(null)
      setState(work.current.isChanged ? 'changed' : 'saved')
      await refetchMatching(queries, ({ queryKey }) =>
        isOneOf(queryKey, ['templates', 'broadcasts', 'editor.versions']),
      )
    } catch (error) {
      work.current.isChanged = true
      if (error instanceof ApiProblem && error.status === 409) {
        setState('changed')
        options.current.onConflict()
      } else {
        setProblem((error as Error).message)
        setState('failed')
      }
      throw error
    }
  }, [queries])

  /** Everything that was written is saved when it resolves. */
  const flush = useCallback(async (): Promise<void> => {
    clearTimeout(work.current.timer)
    await work.current.running?.catch(() => {})
    if (!work.current.isChanged || work.current.isHeld) return
    work.current.running = run().finally(() => {
      work.current.running = null
    })
    await work.current.running
    await flush()
  }, [run])

  const touch = useCallback(() => {
    work.current.isChanged = true
    setState((before) => (before === 'saving' ? before : 'changed'))
    clearTimeout(work.current.timer)
    work.current.timer = window.setTimeout(() => flush().catch(() => {}), AUTOSAVE_MS)
  }, [flush])

  /** What is written waits: somebody has to decide first. */
  const hold = useCallback((isHeld: boolean) => {
    work.current.isHeld = isHeld
  }, [])

  /** What was written is given up. */
  const discard = useCallback(() => {
    clearTimeout(work.current.timer)
    work.current.isChanged = false
    setProblem(null)
    setState('saved')
  }, [])

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
      event.preventDefault()
      flush().catch(() => {})
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [flush])

  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (current.pathname === next.pathname) return false
      await flush().catch(() => {})
      return work.current.isChanged && !window.confirm(texts.discardChanges)
    },
    enableBeforeUnload: () => work.current.isChanged || work.current.isSaving,
  })

  /** Whether something here is not saved yet. */
  const isBusy = useCallback(() => work.current.isChanged || work.current.isSaving, [])
  return { state, problem, touch, flush, hold, discard, isBusy }
}
