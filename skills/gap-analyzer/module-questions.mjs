/** What to ask for when a module is weak; said to the expert, so in plain words. */
export const MODULE_QUESTIONS = {
  M1_thinking_structures:
    'How do you decide? Take one recent hard choice and talk us through it, with the reasons.',
  M2_voice_style: 'Send something you said rather than wrote: a recording, a long message, a talk.',
  M3_cta_psychology: 'What do you sell, to whom, for how much, and what should a person do first?',
  M4_embedded_ip: 'Which ideas, names or methods are your own? Define each in a sentence.',
  M5_modularization: 'Break what you teach into steps. What is in each, and how do you know it is done?',
  M6_meta_structures: 'How do the parts belong together? What comes before what, and why?',
  M7_pattern_recognition: 'What do you notice that beginners miss? Give three signs and what they tell you.',
  M8_prompt_templates: 'Which questions do you ask every client, word for word?',
  M9_retrieval_patterns: 'What do you send people to read, watch or use, and when?',
};
