import { newId } from './ids.ts'
import type { World } from './world.ts'

interface Schema {
  type?: string
  format?: string
  pattern?: string
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: readonly string[]
}

/**
 * A value that the schema accepts: with every field, or with those only that must be there. Ids are those of the world. Another turn
 * gives other values, as far as the schema knows any.
 */
export function sampleOf(
  schema: Schema,
  world: World,
  fields: 'all' | 'required',
  { name = '', turn = 0 }: { name?: string; turn?: number } = {},
): unknown {
  const inside = (inner: Schema, innerName = name) => sampleOf(inner, world, fields, { name: innerName, turn })
  if (schema.anyOf) return inside(schema.anyOf[0]!)
  if (schema.enum) return schema.enum[turn % schema.enum.length]
  if (schema.const !== undefined) return schema.const
  switch (schema.type) {
    case 'object': {
      const chosen = Object.entries(schema.properties ?? {}).filter(
        ([field]) => fields === 'all' || schema.required?.includes(field),
      )
      const sampled = chosen.map(([field, inner]) => [field, inside(inner, knownIn(world, field) ?? name)])
      const [anyField] = Object.values(schema.patternProperties ?? {})
      if (anyField) sampled.push(['plan', inside(anyField)])
      return Object.fromEntries(sampled)
    }
    case 'array':
      return [inside(schema.items!)]
    case 'boolean':
      return turn % 2 === 0
    case 'number':
    case 'integer':
      return turn + 1
    case 'string':
      if (schema.format === 'uuid') return world[name] ?? newId()
      if (schema.format === 'email') return `user-${newId()}@example.com`
      if (schema.pattern?.startsWith('^#')) return `#27695${turn}`
      return schema.pattern ? `key_${newId().replaceAll('-', '_')}` : turn === 0 ? 'text' : `text ${turn}`
    default:
      return null
  }
}

/** Fields that name a thing by another word than paths do. */
const OTHER_NAMES: Record<string, string | undefined> = { audience_id: 'segments', logo_image_id: 'images' }

const knownIn = (world: World, field: string) => (field in world ? field : OTHER_NAMES[field])

/** The value once for each of its leaves, with that leaf replaced. */
export function* variantsOf(value: unknown, replacement: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return yield replacement
  for (const [key, inner] of Object.entries(value)) {
    for (const variant of variantsOf(inner, replacement)) {
      if (Array.isArray(value)) yield value.with(Number(key), variant)
      else yield { ...value, [key]: variant }
    }
  }
}
