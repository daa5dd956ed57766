/**
 * Cue patterns of the nine knowledge modules. A cue says "a sentence like this belongs here"; the list is short on
 * purpose, so that a person can read it and disagree with a line of it.
 */
const CUES = {
  M1_thinking_structures: [
    /\bbecause\b/iu,
    /\bI (?:believe|think|thought|believed)\b/u,
    /\bif .+, (?:then )?(?:you|it|the|I)\b/iu,
    /\bso that\b/iu,
    /\bmeans\b/iu,
  ],
  M2_voice_style: [/^(?:I|You|We)\b/u, /\b(?:I say|I tell|I said)\b/iu, /!/u, /\?["”']?$/u, /\blike a\b/iu],
  M3_cta_psychology: [
    /\b(?:book|join|apply|buy|reply|sign up|write to me|send me|subscribe)\b/iu,
    /[£$€]\d/u,
    /\b(?:guarantee|deposit|price|fee|refund)\b/iu,
    /\bfor whom\b/iu,
  ],
  // Embedded IP is known by the expert's own names, which the caller passes in.
  M4_embedded_ip: [],
  M5_modularization: [
    /\b(?:phase|step|stage|part|module)s?\b/iu,
    /\b(?:first|second|third|fourth|fifth|sixth)(?:,| phase| step| line)/iu,
  ],
  M6_meta_structures: [
    /\b(?:method|framework|the whole|in order|all of it|hold together|belongs? to)\b/iu,
    /\b(?:next comes|then comes|start (?:here|with|again)|begin with)\b/iu,
  ],
  M7_pattern_recognition: [
    /\b(?:whenever|every time|each time|usually|nearly always|pattern|sign that|in every)\b/iu,
    /\b(?:never|always)\b/iu,
    /\bI (?:see|can (?:usually )?tell|know that|have met)\b/u,
  ],
  M8_prompt_templates: [
    /\bask (?:yourself|of|the|every|each)\b/iu,
    /["“][^"”]{6,}\?["”]/u,
    /\bwrite (?:down|that|what|it)\b/iu,
    /\b(?:say|tell (?:them|her|him))\b.*:/iu,
    /^(?:Ask|Call|Check|Choose|Count|Give|Keep|List|Look|Make|Read|Show|Start|Stop|Take|Try|Use|Write)\b/u,
  ],
  M9_retrieval_patterns: [
    /https?:\/\//u,
    /\b(?:read|recording|letters?|essay|page on|books?|recommend|lend)\b/iu,
    /\bI have (?:written|said)\b/iu,
  ],
};

/** Modules of a sentence, with the framework's own names as cues for the embedded IP. */
export function modulesOf(text, moduleNames, ownNames) {
  return moduleNames.filter((module) => {
    if (
      module === 'M4_embedded_ip' &&
      ownNames.some((name) => text.toLowerCase().includes(name.toLowerCase()))
    )
      return true;
    return (CUES[module] ?? []).some((cue) => cue.test(text));
  });
}

/** What a module needs before a clone may lean on it. */
export const ENOUGH = { evidence: 8, sources: 3 };

/** 0..1: half for the amount of evidence, half for its spread over sources. */
export function moduleDepth(evidence, sources) {
  return 0.5 * Math.min(1, evidence / ENOUGH.evidence) + 0.5 * Math.min(1, sources / ENOUGH.sources);
}

/** strong, thin or missing, as the gap report and its records call it. */
export function moduleState(evidence, sources) {
  if (evidence === 0) return 'missing';
  return evidence >= ENOUGH.evidence && sources >= ENOUGH.sources ? 'strong' : 'thin';
}
