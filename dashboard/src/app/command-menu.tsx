import * as Dialog from '@radix-ui/react-dialog'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { useState } from 'react'
import { Icon, type IconName } from '../ui/icons.tsx'
import { actionsFor } from './command-actions.ts'
import { CommandResults } from './command-results.tsx'
import type { NavigationSection } from './navigation.ts'
import { openCommand } from './open-command.ts'
import { usePermissions } from './permissions.ts'
import { recentPages } from './recent-pages.ts'
import type { Session } from './session.ts'
import { texts } from './texts.ts'
import { isDark, useTheme } from './theme.ts'

interface CommandMenuProps {
  readonly session: Session
  readonly sections: readonly NavigationSection[]
  readonly onClose: () => void
}

/** Everything by name: pages, actions, and what the service finds. */
export function CommandMenu({ session, sections, onClose }: CommandMenuProps) {
  const [text, setText] = useState('')
  const may = usePermissions()
  const navigate = useNavigate()
  const router = useRouter()
  const { theme, setTheme } = useTheme()
  const isAboutTeam = session.team !== null
  const after = (run: () => unknown) => () => {
    onClose()
    run()
  }
  const wanted = text.toLowerCase().split(/\s+/)
  const isWanted = ({ label, note = '' }: EntryProps) =>
    wanted.every((word) => `${note} ${label}`.toLowerCase().includes(word))
  const actions = isAboutTeam
    ? actionsFor(may, session.installation).map(({ label, icon, to }) => ({
        ...{ label, icon },
        onSelect: after(() => navigate({ to, search: { new: '1' } })),
      }))
    : []
  const pages = sections.flatMap(({ label: section, icon, pages: all }) =>
    all.map(({ to, label, letter }) => ({
      ...{ label, icon, note: label === section ? undefined : section, keys: letter ? ['g', letter] : undefined },
      onSelect: after(() => navigate({ to })),
    })),
  )
  const others: readonly EntryProps[] = [
    {
      ...{ label: texts.commands.toggleTheme, icon: isDark(theme) ? 'sun' : 'moon' },
      onSelect: after(() => setTheme(isDark(theme) ? 'light' : 'dark')),
    },
    { label: texts.keys.title, icon: 'list', keys: ['?'], onSelect: () => openCommand('keys') },
    { label: texts.commands.apiReference, icon: 'code', onSelect: after(() => open('/docs')) },
  ]
  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="command-menu" aria-describedby={undefined}>
          <Dialog.Title className="hidden">{texts.commands.title}</Dialog.Title>
          {/* What fits is decided here: what the service has found is not filtered again. */}
          <Command label={texts.commands.title} shouldFilter={false} loop>
            <div className="command-input">
              <Icon name="search" />
              <Command.Input value={text} onValueChange={setText} placeholder={texts.commands.placeholder} />
            </div>
            <Command.List label={texts.commands.results}>
              <Command.Empty>{texts.commands.noResults}</Command.Empty>
              {text === '' && <Recent onOpen={(address) => after(() => router.history.push(address))()} />}
              <Entries heading={texts.commands.actions} entries={actions.filter(isWanted)} />
              <Entries heading={texts.commands.pages} entries={pages.filter(isWanted)} />
              <Entries heading={texts.commands.dashboard} entries={others.filter(isWanted)} />
              {isAboutTeam && text !== '' && (
                <CommandResults text={text} onOpen={(to, id) => after(() => navigate({ to, params: { id } }))()} />
              )}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const Entries = ({ heading, entries }: { heading: string; entries: readonly EntryProps[] }) =>
  entries.length > 0 ? (
    <Command.Group heading={heading}>
      {entries.map((entry) => (
        <Entry key={`${entry.note} ${entry.label}`} {...entry} />
      ))}
    </Command.Group>
  ) : null

function Recent({ onOpen }: { onOpen: (address: string) => void }) {
  const pages = recentPages().filter(([address]) => address !== location.pathname)
  if (pages.length === 0) return null
  return (
    <Command.Group heading={texts.commands.recent}>
      {pages.map(([address, title]) => (
        <Entry key={address} value={`recent ${address}`} icon="clock" label={title} onSelect={() => onOpen(address)} />
      ))}
    </Command.Group>
  )
}

interface EntryProps {
  readonly icon: IconName
  readonly label: string
  /** What it is known by, when its name is not its own. */
  readonly value?: string
  readonly note?: string | undefined
  readonly keys?: readonly string[] | undefined
  readonly onSelect: () => void
}

const Entry = ({ icon, label, value, note, keys, onSelect }: EntryProps) => (
  <Command.Item value={value ?? (note ? `${note} ${label}` : label)} onSelect={onSelect}>
    <Icon name={icon} />
    <span className="command-title">{label}</span>
    {note && <small className="muted">{note}</small>}
    {keys && (
      <span className="command-keys">
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </span>
    )}
  </Command.Item>
)
