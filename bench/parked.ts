export { floorBench as parkedBench } from './floor';
