import { type ReactNode, useEffect, useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { rich } from '../../ui/rich.tsx'
import { Empty } from '../../ui/states.tsx'
import { useComposer } from './compose/composer.tsx'
import { DraftsList } from './compose/drafts-list.tsx'
import { Conversation } from './conversation/conversation.tsx'
import type { OpenedInbox } from './inbox.ts'
import { useMailKeys } from './keys.ts'
import { KeysDialog } from './keys-dialog.tsx'
import { LabelsDialog } from './labels-dialog.tsx'
import { ListHead } from './list-head.tsx'
import { ListState } from './list-state.tsx'
import { actOfKey } from './mail-keys.ts'
import { MailboxesPane } from './mailboxes-pane.tsx'
import { SearchBox } from './search-box.tsx'
import { ThreadList } from './thread-list.tsx'
import { ThreadToolbar } from './thread-toolbar.tsx'
import { useUnread } from './unread.ts'
import { useMail } from './use-mail.ts'
import './mail-client.css'
import './mail-phone.css'
import { texts } from './texts.ts'

interface MailClientProps {
  readonly inbox: OpenedInbox
  readonly me: string | null
  readonly firstMail: ReactNode
}

/** Three panes: where mail is, which there is, and what it says. On narrow screens one at a time. */
export function MailClient({ inbox, me, firstMail }: MailClientProps) {
  const mail = useMail(inbox, me)
  const composer = useComposer()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const [isMaking, setMaking] = useState(false)
  const { words, sidebarFolder, asked, list, opened, selected, meta } = mail
  useTitle(inbox, asked.title)
  // A draft that was taken back is opened with its thread, whatever is shown meanwhile.
  const { asked: answer } = composer
  const { open } = mail
  useEffect(() => {
    if (answer?.kind === 'draft' && answer.threadId !== words.thread) open(answer.threadId)
  }, [answer, open, words.thread])
  useMailKeys((act) => actOfKey(act, mail, composer, () => setHelpOpen(true)))

  const toolbar = (where: 'list' | 'thread') => ({
    acts: mail.acts,
    meta,
    openMenu: mail.menu?.where === where ? mail.menu.name : null,
    onMenu: (name: 'labels' | 'assign' | null) => mail.setMenu(name && { where, name }),
    onNewLabel: () => setMaking(true),
  })
  const pane = mail.isBrowsing ? 'mailboxes' : words.thread ? 'conversation' : 'list'
  return (
    <div className="mail" data-pane={pane}>
      <MailboxesPane
        inbox={inbox}
        meta={meta}
        sidebarFolder={words.q ? null : sidebarFolder}
        label={words.q ? undefined : words.label}
        onChoose={() => mail.setBrowsing(false)}
      />
      <section className="list-pane" aria-label={texts.panes.threads}>
        <header className="list-search">
          <IconButton
            className="to-mailboxes"
            icon="inbox"
            label={texts.panes.folders}
            aria-expanded={mail.isBrowsing}
            onClick={() => mail.setBrowsing(!mail.isBrowsing)}
          />
          <SearchBox
            value={words.q ?? ''}
            onSearch={mail.search}
            labels={meta.labels}
            people={mail.peopleSeen}
            key={inbox.id}
          />
        </header>
        {mail.isDrafts ? (
          <>
            <ListHead title={texts.folders.drafts} />
            <DraftsList inbox={inbox} onOpenThread={mail.open} />
          </>
        ) : (
          <>
            <ListHead
              title={asked.title}
              mail={mail}
              toolbar={
                <ThreadToolbar
                  {...toolbar('list')}
                  threads={selected}
                  onMove={(to) => mail.move(selected, to)}
                  onMark={(read) => mail.mark(selected, read)}
                />
              }
            />
            {list.threads.length > 0 ? (
              <ThreadList
                label={asked.title}
                threads={list.threads}
                hasMore={list.hasMore}
                isStale={list.state.isPlaceholderData}
                hrefOf={mail.hrefOf}
                ownAddress={inbox.email_address}
                openId={words.thread}
                cursor={mail.cursor}
                isFollowed={mail.isFollowed}
                selected={mail.selectedIds}
                acts={mail.rowActs}
                onMore={list.readMore}
                onSight={list.onSight}
              />
            ) : (
              <ListState inbox={inbox} mail={mail} firstMail={firstMail} />
            )}
          </>
        )}
      </section>
      <section className="conversation-pane" aria-label={texts.panes.conversation}>
        {words.thread ? (
          <Conversation
            key={words.thread}
            inbox={inbox}
            threadId={words.thread}
            me={meta.me}
            matchedEmailId={opened?.matched_email_id ?? undefined}
            onClose={mail.close}
            toolbar={
              opened && (
                <ThreadToolbar
                  {...toolbar('thread')}
                  threads={[opened]}
                  onMove={(to) => mail.move([opened], to)}
                  onMark={(read) => mail.mark([opened], read)}
                />
              )
            }
          />
        ) : (
          <Empty icon="mail" title={texts.empty.conversation}>
            <p className="muted">
              {rich(texts.empty.conversationNote, {
                ...{ j: <kbd>j</kbd>, k: <kbd>k</kbd>, help: <kbd>?</kbd> },
                enter: <kbd>{texts.keys.names.enter}</kbd>,
              })}
            </p>
          </Empty>
        )}
      </section>
      <KeysDialog isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
      <LabelsDialog
        inbox={inbox.id}
        isOpen={isMaking}
        onClose={() => setMaking(false)}
        onMade={(label) => void mail.acts.label(mail.targets(), label, true)}
      />
    </div>
  )
}

/** `(3) Inbox · Support · Postwren`: a tab in the background says that there is something new. */
function useTitle({ id, name, unread }: OpenedInbox, title: string) {
  const count = useUnread()(id, unread)
  useEffect(() => {
    document.title =
      count > 0 ? texts.documentTitle.unread(formatNumber(count), title, name) : texts.documentTitle.read(title, name)
  }, [count, title, name])
}
