import { Dialog } from '../ui/dialog.tsx'
import { KeyList } from '../ui/key-list.tsx'
import { type PageKey, usePageKeyHelp } from '../ui/page-keys.ts'
import { MENU_KEY } from './commands.tsx'
import type { NavigationSection } from './navigation.ts'
import { texts } from './texts.ts'

const EVERYWHERE: readonly PageKey[] = [
  { keys: [MENU_KEY], what: texts.searchPagesActionsData },
  { keys: ['/'], what: texts.searchList },
  { keys: ['j'], what: texts.nextRow },
  { keys: ['k'], what: texts.previousRow },
  { keys: ['Enter'], what: texts.openRow },
  { keys: ['?'], what: texts.keyboardShortcuts },
]

interface KeysHelpProps {
  readonly sections: readonly NavigationSection[]
  readonly onClose: () => void
}

/** The keys of the page that is open, and those of all pages. */
export function KeysHelp({ sections, onClose }: KeysHelpProps) {
  const here = usePageKeyHelp()
  const known = new Set(here.flatMap(({ keys }) => keys))
  const pages = sections.flatMap(({ label: section, pages: all }) =>
    all.flatMap(({ letter, label }) => {
      const what = all.length > 1 ? `${section}: ${label}` : label
      return letter ? [{ keys: ['g', letter], what, isSequence: true }] : []
    }),
  )
  return (
    <Dialog title={texts.keyboardShortcuts} isOpen onClose={onClose} isWide>
      <div className="keys-help">
        {here.length > 0 && <KeyList title={texts.page} keys={here} />}
        <KeyList title={texts.everywhere} keys={EVERYWHERE.filter(({ keys }) => !keys.some((key) => known.has(key)))} />
        <KeyList title={texts.go} keys={pages} />
      </div>
    </Dialog>
  )
}
