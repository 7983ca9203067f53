#!/usr/bin/env node
/**
 * node .ci/move/move.mjs <checkout> [--words]; README.md says what it is for.
 * Moves the files of mapping.mjs, and rewrites every path that leads to them or from them:
 *   1. quoted relative paths in code (imports of every form, URLs, mocks), and relative links of Markdown;
 *   2. paths from the root, anywhere in a text (`rest-facade/catalog/…`, `dist/rest-facade/…`);
 *   3. in Markdown and comments, `code` that names a path below rest-facade/ or schema/ without its beginning;
 *   4. the patches of patches.mjs, for what none of these finds.
 * Then it formats, and lists what still looks like an old path. The tree must be clean. It commits nothing.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { posix as path } from 'node:path'
import * as move from './mapping.mjs'
import { patches as movePatches } from './patches.mjs'
import * as words from './words.mjs'
import * as texts from './texts.mjs'

const root = path.resolve(process.argv[2] ?? '.')
const isDry = process.argv.includes('--dry')
/** The second step: names. */
const isWords = process.argv.includes('--words')
const { moves, patches } = isWords ? words : { moves: move.moves, patches: movePatches }
const moved = move.movedBy(moves)
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
const startedMs = Date.now()
const log = []
const say = (text) => log.push(text)

if (git('status', '--porcelain', '--untracked-files=no').trim() !== '' && !isDry) {
  console.error('The tree has uncommitted changes.')
  process.exit(1)
}

/** The plan itself, where it is in the tree: it leaves with the move. */
const plan = '.ci/move/'
const files = git('ls-files', '-z')
  .split('\0')
  .filter((file) => file !== '' && !file.startsWith(plan) && existsSync(`${root}/${file}`))
const known = new Set(files)
const folders = new Set([''])
for (const file of files) {
  for (let folder = path.dirname(file); folder !== '.'; folder = path.dirname(folder)) folders.add(folder)
}
const filesIn = Map.groupBy(files, (file) => file.split('/')[0])
const newPaths = new Map(files.map((file) => [file, moved(file)]))
const clash = Map.groupBy(newPaths, ([, to]) => to)
for (const [to, all] of clash) if (all.length > 1) throw new Error(`Two files become ${to}: ${all.map(([from]) => from)}`)
for (const key of Object.keys(moves)) {
  const exists = key.endsWith('/') ? folders.has(key.slice(0, -1)) : known.has(key)
  if (!exists) say(`mapping: ${key} does not exist (any more)`)
}

/** The new path of whatever a text names: a file, a compiled file, a folder, a name without extension; null: not ours. */
function target(old) {
  if (old.startsWith('dist/')) {
    const inner = target(old.slice(5))
    return inner && inner.to !== old.slice(5) ? { to: `dist/${inner.to}` } : null
  }
  const bare = old.replace(/\/$/, '')
  if (known.has(bare) || folders.has(bare)) return { to: moved(bare) + (old.endsWith('/') ? '/' : '') }
  // A compiled file, or a name without its extension.
  for (const [extension, source] of [['.js', '.ts'], ['.mjs', '.ts'], ['', '.ts'], ['', '.md']]) {
    if (!old.endsWith(extension)) continue
    const bare = old.slice(0, old.length - extension.length)
    if (known.has(bare + source)) return { to: moved(bare + source).slice(0, -source.length) + extension }
  }
  // A path that does not exist, below a folder that moves: a pattern, or an example.
  const to = moved(old)
  return to === old ? null : { to, isGuess: true }
}

function relativeTo(fromFile, to, wasDotted) {
  let result = path.relative(path.dirname(fromFile), to)
  if (result === '') result = '.'
  if (wasDotted && !result.startsWith('.')) result = `./${result}`
  return result
}

const isCode = (file) => /\.(ts|tsx|mts|cts|mjs|cjs|js)$/.test(file)
const isText = (buffer) => !buffer.subarray(0, 8000).includes(0)
/** Their content is compared byte by byte, or is no text of ours. */
const untouched = /^package-lock\.json$|^LICENSE$|\.(png|svg|ico|woff2?|pdf)$/

function rewritten(file, text) {
  const to = newPaths.get(file)
  let result = text
  if (isCode(file)) result = relativeInCode(file, to, result)
  if (file.endsWith('.md')) result = linksOf(file, to, result)
  result = fromRoot(file, result)
  if (file.endsWith('.md') || isCode(file)) result = shortened(file, to, result)
  return result
}

function relativeInCode(file, to, text) {
  return text.replace(/(['"`])(\.{1,2}(?:\/[^'"`\s$]*)?)\1/g, (whole, quote, spec, offset) => {
    const before = text.slice(Math.max(0, offset - 40), offset)
    const isModule = /(?:\bfrom|\bimport|\bimport\(|\bURL\(|\brequire\(|\bresolve\(|\bmock\(|\bimportActual\(|import\.meta\.dirname,)\s*$/.test(before)
    // '..' may be below any other folder.
    if (!isModule && /^[./]*$/.test(spec)) return whole
    const [, bare, suffix] = /^([^?#]*)(.*)$/.exec(spec)
    const old = path.join(path.dirname(file), bare)
    const isOurs = old === '.' || known.has(old) || folders.has(old.replace(/\/$/, '')) || (old.startsWith('dist/') && target(old))
    if (!isOurs || old.startsWith('..')) return whole
    const found = old === '.' ? { to: '' } : target(old) ?? { to: old }
    const fresh = relativeTo(to, found.to.replace(/\/$/, '') || '.', true)
    const slash = bare.endsWith('/') && !fresh.endsWith('/') ? '/' : ''
    if (!isModule && fresh !== bare) say(`no import: ${to}: ${spec} → ${fresh}${suffix}`)
    return `${quote}${fresh}${slash}${suffix}${quote}`
  })
}

function linksOf(file, to, text) {
  return text.replace(/(\]\()([^)\s#:]+)(#[^)\s]*)?(\))/g, (whole, open, link, anchor = '', close) => {
    if (link.startsWith('/')) return whole
    const old = path.join(path.dirname(file), decodeURI(link))
    const bare = old.replace(/\/$/, '')
    if (!known.has(bare) && !folders.has(bare)) return whole
    const next = moved(bare)
    let fresh = relativeTo(to, next, link.startsWith('./'))
    if (link.endsWith('/') && !fresh.endsWith('/')) fresh += '/'
    return `${open}${fresh}${anchor}${close}`
  })
}

/** `rest-facade/…`, also behind `dist/` or the folder of the image. */
const tops = isWords ? 'gateway|rest-facade|schema|subgraphs|test' : String.raw`rest-facade|schema|\.ci`
const rooted = new RegExp(String.raw`(?<![\w-])(?<!\w[./])(?<!\.\/)(\/gateway\/)?((?:dist\/)?(?:${tops})\/[\w.@/-]*[\w@/-])`, 'g')

function fromRoot(file, text) {
  return text.replace(rooted, (whole, image = '', name, offset) => {
    const before = text[offset - 1]
    if (before === '/' || before === '.') return whole
    const found = target(name)
    if (!found) return whole
    return image + found.to
  })
}

/** `metering/ledger.ts` in prose: a path below rest-facade/, without it. */
function shortened(file, to, text) {
  const isMarkdown = file.endsWith('.md')
  const bases = isWords ? [to.split('/')[0]] : ['rest-facade', 'schema']
  const inComment = (offset) => {
    if (isMarkdown) return true
    const line = text.slice(text.lastIndexOf('\n', offset) + 1, offset)
    return /^\s*(\*|\/\*\*?|\/\/)|\/\/ /.test(line)
  }
  return text.replace(/`([a-z][\w.-]*\/(?:[\w.-]+\/?)*)`/g, (whole, name, offset) => {
    if (!inComment(offset)) return whole
    const bare = name.replace(/\/$/, '')
    const own = path.join(path.dirname(file), bare)
    const candidates = [own, bare, ...bases.map((base) => `${base}/${bare}`)]
    const old = candidates.find((one) => known.has(one) || folders.has(one))
    if (!old || old === bare) return whole
    const next = moved(old)
    if (next === old && old !== own) return whole
    const top = next.split('/')[0]
    const slash = name.endsWith('/') ? '/' : ''
    let fresh
    if (old === own) {
      const relative = path.relative(path.dirname(to), next)
      if (relative === bare) return whole
      fresh = relative.startsWith('..') ? (to.split('/')[0] === top ? next.slice(top.length + 1) : next) : relative
    } else {
      const isSame = to.split('/')[0] === top
      fresh = isSame ? next.slice(top.length + 1) : next
    }
    if (fresh + slash === name) return whole
    say(`prose: ${to}: \`${name}\` → \`${fresh}${slash}\``)
    return `\`${fresh}${slash}\``
  })
}

// ── 1. texts, then places ──
const contents = new Map()
for (const file of files) {
  if (lstatSync(`${root}/${file}`).isSymbolicLink()) continue
  const buffer = readFileSync(`${root}/${file}`)
  if (untouched.test(file) || !isText(buffer)) continue
  const text = buffer.toString('utf8')
  const next = rewritten(file, text)
  const titled = retitled(file, newPaths.get(file), next)
  if (titled !== text) contents.set(newPaths.get(file), titled)
}

/** A README whose title is the old name of its folder gets the new one. */
function retitled(file, to, text) {
  if (!file.endsWith('/README.md')) return text
  const [old, fresh] = [file, to].map((one) => path.basename(path.dirname(one)))
  return old !== fresh && text.startsWith(`# ${old}\n`) ? `# ${fresh}\n${text.slice(old.length + 3)}` : text
}
if (isDry) {
  console.log(log.join('\n'))
  process.exit()
}
// Through a place of its own, because a folder may move into one of its old name.
const moving = [...newPaths].filter(([from, to]) => from !== to)
for (const [from] of moving) {
  mkdirSync(path.dirname(`${root}/.moving/${from}`), { recursive: true })
  renameSync(`${root}/${from}`, `${root}/.moving/${from}`)
}
for (const [from, to] of moving) {
  mkdirSync(path.dirname(`${root}/${to}`), { recursive: true })
  renameSync(`${root}/.moving/${from}`, `${root}/${to}`)
}
removeEmpty(`${root}/.moving`)
for (const top of new Set(moving.map(([from]) => from.split('/')[0]))) removeEmpty(`${root}/${top}`)
for (const [to, text] of contents) writeFileSync(`${root}/${to}`, text)

function removeEmpty(folder) {
  if (!existsSync(folder) || !lstatSync(folder).isDirectory()) return
  for (const name of readdirSync(folder)) removeEmpty(`${folder}/${name}`)
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}

// ── 2. patches ──
const now = [...new Set(newPaths.values())]
for (const { file, in: many, when = '', word = '', each, from, to, content, run, optional = false } of patches) {
  if (run) {
    texts[run](root)
    continue
  }
  if (content !== undefined) {
    mkdirSync(path.dirname(`${root}/${file}`), { recursive: true })
    writeFileSync(`${root}/${file}`, content)
    continue
  }
  const chosen = file ? [file] : now.filter((one) => many.test(one))
  let hits = 0
  for (const one of chosen) {
    if (!existsSync(`${root}/${one}`) || lstatSync(`${root}/${one}`).isSymbolicLink()) continue
    const text = readFileSync(`${root}/${one}`, 'utf8')
    if (!text.includes(when) || !text.includes(word)) continue
    const next = each ? text.split('\n').map(each).join('\n') : typeof from === 'string' ? text.replaceAll(from, () => to) : text.replace(from, to)
    if (next === text) continue
    hits += 1
    writeFileSync(`${root}/${one}`, next)
  }
  if (hits === 0 && !optional) say(`patch: nothing to change in ${file ?? many}: ${word || String(from).slice(0, 90)}`)
}

// ── 3. format, stage ──
if (!isWords) rmSync(`${root}/${plan}`, { recursive: true, force: true })
git('add', '-A')
const node = existsSync(`${root}/node_modules/.bin/node`) ? `${root}/node_modules/.bin/node` : process.execPath
if (existsSync(`${root}/node_modules/.bin/biome`)) {
  try {
    execFileSync(node, [`${root}/node_modules/@biomejs/biome/bin/biome`, 'check', '--write', '.'], { cwd: root, stdio: 'pipe', encoding: 'utf8' })
  } catch (error) {
    say(`biome: ${String(error.stdout).slice(-2000)}${String(error.stderr).slice(-2000)}`)
  }
  git('add', '-A')
}

// ── 4. what is left ──
for (const file of git('ls-files', '-z').split('\0').filter(Boolean)) {
  if (untouched.test(file) || lstatSync(`${root}/${file}`).isSymbolicLink()) continue
  const buffer = readFileSync(`${root}/${file}`)
  if (!isText(buffer)) continue
  for (const [index, line] of buffer.toString('utf8').split('\n').entries()) {
    for (const [, , name] of line.matchAll(rooted)) {
      const bare = name.replace(/^dist\//, '').replace(/\/$/, '')
      if (!existsSync(`${root}/${bare}`) && !existsSync(`${root}/${bare.replace(/\.m?js$/, '.ts')}`)) {
        say(`left: ${file}:${index + 1}: ${name}`)
      }
    }
    if (/rest-facade\\\/|'rest-facade'|"rest-facade"|rest-facade\/(?:[{(*[])/.test(line)) say(`look: ${file}:${index + 1}: ${line.trim().slice(0, 140)}`)
    if (!isCode(file)) continue
    for (const [, spec] of line.matchAll(/(?:from |import\(|import )'(\.{1,2}\/[^']+)'/g)) {
      const to = path.join(path.dirname(file), spec)
      if (!existsSync(`${root}/${to}`)) say(`broken: ${file}:${index + 1}: ${spec}`)
    }
  }
}
console.log(log.join('\n'))
console.log(`${moving.length} files moved, ${contents.size} texts rewritten, in ${((Date.now() - startedMs) / 1000).toFixed(0)} s`)
