import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCall } from '../../queries.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { ComposerProvider } from './compose/composer.tsx'
import { MailClient } from './mail-client.tsx'

interface MailPageProps {
  /** The address of whoever is signed in; null for a key. */
  readonly me: string | null
  /** How the first mail gets into an inbox with this address. */
  readonly firstMail: (address: string) => ReactNode
}

/** The mail of one inbox. Its address may name it by id or by its own address. */
export function MailPage({ me, firstMail }: MailPageProps) {
  const { inbox: named } = useParams({ from: '/inboxes/$inbox' })
  const inbox = useCall('inboxes.get', { inbox: named })
  if (inbox.isPending) return <Loading />
  if (inbox.isError) return <Failed error={inbox.error} onRetry={() => inbox.refetch()} />
  return (
    <ComposerProvider key={inbox.data.id} inbox={inbox.data}>
      <MailClient inbox={inbox.data} me={me} firstMail={firstMail(inbox.data.email_address)} />
    </ComposerProvider>
  )
}
