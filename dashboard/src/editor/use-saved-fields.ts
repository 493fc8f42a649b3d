import { useEffect, useRef, useState } from 'react'
import { type SaveState, useAutosave } from './use-autosave.ts'

/**
 * The fields beside an email: what is saved, with what was typed since, which is saved after a pause. Only what was changed is sent,
 * so that nothing that somebody else has changed meanwhile is taken back.
 */
export function useSavedFields<Fields extends object>(
  saved: Fields,
  save: (changed: Partial<Fields>) => Promise<unknown>,
) {
  const [changes, setChanges] = useState<Partial<Fields>>({})
  const latest = useRef(changes)
  latest.current = changes
  const autosave = useAutosave({
    save: async () => {
      const sent = latest.current
      await save(sent)
      // What was typed while it was saved stays.
      const rest = Object.entries(latest.current).filter(([name, value]) => value !== sent[name as keyof Fields])
      sentLast.current = { ...sentLast.current, ...sent }
      setChanges(Object.fromEntries(rest) as Partial<Fields>)
    },
    onConflict: () => {},
  })
  // Until the page has read again what it saved, it shows what was sent.
  const sentLast = useRef<Partial<Fields>>({})
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was read again counts from now on
  useEffect(() => {
    sentLast.current = {}
  }, [JSON.stringify(saved)])
  const fields: Fields = { ...saved, ...sentLast.current, ...changes }
  const change = (part: Partial<Fields>) => {
    setChanges((before) => ({ ...before, ...part }))
    latest.current = { ...latest.current, ...part }
    autosave.touch()
  }
  return { fields, change, autosave }
}

/** What an editor on the page says about its own saving. */
export function useEditorState() {
  const [editor, setEditor] = useState<{ state: SaveState; problem: string | null }>({ state: 'saved', problem: null })
  const [onSaveState] = useState(() => (state: SaveState, problem: string | null) => setEditor({ state, problem }))
  return { ...editor, onSaveState }
}
