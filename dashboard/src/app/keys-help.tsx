import { Dialog } from '../ui/dialog.tsx'
import { KeyList } from '../ui/key-list.tsx'
import { type PageKey, usePageKeyHelp } from '../ui/page-keys.ts'
import { MENU_KEY } from './commands.tsx'
import type { NavigationSection } from './navigation.ts'
import { texts } from './texts.ts'

const EVERYWHERE: readonly PageKey[] = [
  { keys: [MENU_KEY], what: texts.commands.title },
  { keys: ['/'], what: texts.keys.searchList },
  { keys: ['j'], what: texts.keys.nextRow },
  { keys: ['k'], what: texts.keys.previousRow },
  { keys: ['Enter'], what: texts.keys.openRow },
  { keys: ['?'], what: texts.keys.title },
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
      const what = all.length > 1 && label !== section ? texts.keys.pageOfSection(section, label) : label
      return letter ? [{ keys: ['g', letter], what, isSequence: true }] : []
    }),
  )
  return (
    <Dialog title={texts.keys.title} isOpen onClose={onClose} isWide>
      <div className="keys-help">
        {here.length > 0 && <KeyList title={texts.keys.onThisPage} keys={here} />}
        <KeyList
          title={texts.keys.everywhere}
          keys={EVERYWHERE.filter(({ keys }) => !keys.some((key) => known.has(key)))}
        />
        <KeyList title={texts.keys.goTo} keys={pages} />
      </div>
    </Dialog>
  )
}
