// `node shapes.mjs PACKAGE`: what the types of an SDK promise, as JSON on stdout. For each public method of each resource the JSON
// Schema of its data; beside it the names that are private in TypeScript, though JavaScript shows them. Runs where the packages
// were installed: the compiler that checks this repository has no API for it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const folder = join(import.meta.dirname, 'node_modules', process.argv[2])
const { types, main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const file = join(folder, types ?? main.replace(/\.js$/, '.d.ts'))

const program = ts.createProgram([file], {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
})
const checker = program.getTypeChecker()
const { Object: OBJECT, Union, Intersection, Any, Unknown, Null, Undefined, Void, Never } = ts.TypeFlags

/** No answer is as deep as this: what goes further refers to itself. */
const DEEPEST = 12

function schemaOf(type, depth = 0) {
  if (depth > DEEPEST || type.flags & (Any | Unknown | Never | Void)) return {}
  if (type.flags & Null) return { type: 'null' }
  if (type.flags & Undefined) return { not: {} }
  if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value }
  if (type.flags & ts.TypeFlags.BooleanLiteral) return { const: checker.typeToString(type) === 'true' }
  if (type.flags & ts.TypeFlags.StringLike) return { type: 'string' }
  if (type.flags & ts.TypeFlags.NumberLike) return { type: 'number' }
  if (type.flags & ts.TypeFlags.BooleanLike) return { type: 'boolean' }
  if (type.flags & Union) return { anyOf: type.types.map((one) => schemaOf(one, depth + 1)) }
  if (checker.isArrayType(type)) return { type: 'array', items: schemaOf(checker.getTypeArguments(type)[0], depth + 1) }
  return type.flags & (OBJECT | Intersection) ? objectSchema(type, depth) : {}
}

function objectSchema(type, depth) {
  const schema = { type: 'object', properties: {}, required: [] }
  for (const property of checker.getPropertiesOfType(type)) {
    const { name } = property
    schema.properties[name] = schemaOf(checker.getTypeOfSymbol(property), depth + 1)
    if (!(property.flags & ts.SymbolFlags.Optional)) schema.required.push(name)
  }
  const rest = checker.getIndexInfosOfType(type)[0]
  return rest ? { ...schema, additionalProperties: schemaOf(rest.type, depth + 1) } : schema
}

/** From 2.0 on a method answers `{ data, error }`; before it answered the data, and threw. */
function dataOf(answer) {
  const members = answer.isUnion() ? answer.types : [answer]
  if (!members.every((member) => member.getProperty('error') && member.getProperty('data'))) return [answer]
  return members
    .map((member) => checker.getNonNullableType(checker.getTypeOfSymbol(member.getProperty('data'))))
    .filter((type) => !(type.flags & Never))
}

const methods = {}
const hidden = []

function walk(path, type) {
  for (const property of checker.getPropertiesOfType(type)) {
    const name = [...path, property.name].join('.')
    if (property.name === 'resend') continue
    const isHidden = ts.getCombinedModifierFlags(property.valueDeclaration) & ts.ModifierFlags.Private
    const own = checker.getTypeOfSymbol(property)
    const signatures = own.getCallSignatures()
    if (isHidden && property.valueDeclaration && !own.getProperty('resend')) hidden.push(name)
    else if (signatures.length > 0 && path.length > 0) {
      const answers = signatures.flatMap((one) =>
        dataOf(checker.getAwaitedType(one.getReturnType()) ?? one.getReturnType()),
      )
      methods[name] = { anyOf: answers.map((answer) => schemaOf(answer)) }
    } else if (own.getProperty('resend')) walk([...path, property.name], own)
  }
}

const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))
const resend = exported.find(({ name }) => name === 'Resend')
walk(
  [],
  checker.getDeclaredTypeOfSymbol(resend.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(resend) : resend),
)
process.stdout.write(JSON.stringify({ methods, hidden }))
