import { lazy, Suspense, useEffect } from 'react'
import { Icon } from '../ui/icons.tsx'
import { isForField } from '../ui/typing.ts'
import type { NavigationSection } from './navigation.ts'
import { openCommand, useOpenCommand } from './open-command.ts'
import { useRecentPages } from './recent-pages.ts'
import type { Session } from './session.ts'
import './commands.css'
import { texts } from './texts.ts'

/** Fetched when somebody opens it. */
const CommandMenu = lazy(() => import('./command-menu.tsx').then((module) => ({ default: module.CommandMenu })))
const KeysHelp = lazy(() => import('./keys-help.tsx').then((module) => ({ default: module.KeysHelp })))

interface CommandsProps {
  readonly session: Session
  readonly sections: readonly NavigationSection[]
}

/** Above every page: Ctrl-K or ⌘K opens the command menu, `?` the help about keys. */
export function Commands({ session, sections }: CommandsProps) {
  const open = useOpenCommand()
  useRecentPages()
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isMenu = event.key === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
      // An editor that makes a link of it has said so.
      if (event.defaultPrevented || event.isComposing || !(isMenu || (event.key === '?' && !isForField(event)))) return
      event.preventDefault()
      openCommand(isMenu ? 'menu' : 'keys')
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  const close = () => openCommand(null)
  return (
    <Suspense>
      {open === 'menu' && <CommandMenu session={session} sections={sections} onClose={close} />}
      {open === 'keys' && <KeysHelp sections={sections} onClose={close} />}
    </Suspense>
  )
}

export const MENU_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'

export const CommandButton = () => (
  <button type="button" className="command-button" onClick={() => openCommand('menu')}>
    <Icon name="search" size={15} />
    <span>{texts.commands.open}</span>
    <kbd>{MENU_KEY}</kbd>
  </button>
)
