import { Link, type LinkProps } from '@tanstack/react-router'
import type { Reply } from '../../api.ts'
import { texts } from './texts.ts'

const UUID = '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})'

/** Where the object of a request is shown, by the path of the request. */
const PAGES: readonly (readonly [RegExp, LinkProps['to'] & string, string])[] = [
  [new RegExp(`^/emails/receiving/${UUID}`), '/received/$id', texts.objects.receivedEmail],
  [new RegExp(`^/emails?/${UUID}`), '/emails/$id', texts.objects.email],
  [new RegExp(`^/contacts/${UUID}`), '/contacts/$id', texts.objects.contact],
  [new RegExp(`^/(?:segments|audiences)/${UUID}`), '/segments/$id', texts.objects.segment],
  [new RegExp(`^/broadcasts/${UUID}`), '/broadcasts/$id', texts.objects.broadcast],
  [new RegExp(`^/templates/${UUID}`), '/templates/$id', texts.objects.template],
  [new RegExp(`^/automations/${UUID}`), '/automations/$id', texts.objects.automation],
  [new RegExp(`^/domains/${UUID}`), '/domains/$id', texts.objects.domain],
  [new RegExp(`^/webhooks/${UUID}`), '/webhooks/$id', texts.objects.webhook],
]

interface LogSubject {
  readonly to: string
  readonly id: string
  readonly label: string
}

/** The object that a request was about: that of its path, or the one that it created. */
export function subjectOf({ endpoint, response_body }: Pick<Reply<'logs.get'>, 'endpoint' | 'response_body'>) {
  const created = (response_body as { id?: unknown } | null)?.id
  const paths = [endpoint, ...(typeof created === 'string' ? [`${endpoint}/${created}`] : [])]
  for (const path of paths)
    for (const [pattern, to, label] of PAGES) {
      const id = pattern.exec(path)?.[1]
      if (id) return { to, id, label } satisfies LogSubject
    }
  return null
}

export function SubjectLink({ subject: { to, id, label } }: { subject: LogSubject }) {
  return (
    <Link to={to as '/emails/$id'} params={{ id }}>
      {label}
    </Link>
  )
}
