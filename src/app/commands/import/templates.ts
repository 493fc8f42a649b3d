import { type ImportedVersion, importTemplate } from '../../../features/templates/imported.ts'
import { CreateTemplate } from '../../../features/templates/schema.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { validate } from '../../../kernel/http/validate.ts'
import { momentOf, type Named, type SourceTemplate, type SourceVersion } from './account.ts'
import { type Import, importEach } from './run.ts'

export function readTemplates(running: Import) {
  const { source, target, report, now } = running
  return importEach<Named>(running, {
    ...{ kind: 'templates', path: '/templates' },
    async write({ id }) {
      const item = await source.get<SourceTemplate>(`/templates/${id}`)
      if (!item) throw new Problem('not_found', 'Deleted meanwhile')
      const current = versionOf(running, item)
      const published = await publishedVersion(running, item, current)
      if (item.status === 'published' && !published)
        report.note(
          'templates',
          item.name ?? id,
          'It has changes that are not published there, and only these can be read: a draft here. Check and publish it',
        )
      const { name } = validate(CreateTemplate, { name: item.name, html: '' }, 'body')
      return target.write((trx) =>
        importTemplate(trx, target.team, {
          ...{ id: item.id, name, alias: item.alias ?? null, current, published },
          created_at: momentOf(item.created_at, now),
          updated_at: momentOf(item.updated_at ?? item.created_at, now),
          published_at: published ? momentOf(item.published_at ?? item.updated_at, now) : null,
        }),
      )
    },
  })
}

/** What mail is made of there. The contract shows what was written last; a source of our own keeps its versions, too. */
async function publishedVersion(running: Import, item: SourceTemplate, current: ImportedVersion) {
  if (item.status !== 'published') return null
  if (item.has_unpublished_versions !== true) return current
  const { source } = running
  for await (const { items } of source.pages<SourceVersion>(`/templates/${item.id}/versions`)) {
    const live = items.find((version) => version.is_published)
    const version = live && (await source.get<SourceVersion>(`/templates/${item.id}/versions/${live.id}`))
    if (version) return versionOf(running, { ...version, current_version_id: version.id })
  }
  return null
}

function versionOf({ now }: Import, item: SourceTemplate | SourceVersion): ImportedVersion {
  const { from = null, subject = null, reply_to = null, html, text = null, variables } = item
  const body = { name: '-', html: html ?? '', from, subject, reply_to, text, variables: variables ?? [] }
  const { name: _name, alias: _alias, ...content } = validate(CreateTemplate, body, 'body')
  const ids = new Map((variables ?? []).map((variable) => [variable.key, variable.id ?? '']))
  return {
    ...content,
    id: item.current_version_id ?? '',
    created_at: momentOf(item.updated_at ?? item.created_at, now),
    variables: (content.variables ?? []).map((variable) => ({
      ...variable,
      id: ids.get(variable.key) ?? '',
      fallback_value: variable.fallback_value ?? null,
    })),
  }
}
