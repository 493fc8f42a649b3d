import { Badge } from '../../ui/badge.tsx'

export const StatusCode = ({ code }: { code: number }) => (
  <Badge word={String(code)} tone={code < 300 ? 'good' : code < 500 ? 'warn' : 'bad'} />
)
